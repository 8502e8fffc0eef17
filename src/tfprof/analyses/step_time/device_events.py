"""What a device is doing, by the names of its kernels and copies."""

from __future__ import annotations

import re

import numpy as np

from tfprof.analyses.events.self_time import holders
from tfprof.analyses.step_time.category_codes import NO_CODE, Codes, by_name, code_of
from tfprof.model.kernel_lines import is_tpu, lines_that_count
from tfprof.model.xspace import Plane
from tfprof.results.categories import Category

_COPY = re.compile(r"memcpy|^copy(host|device)", re.IGNORECASE)
_TO_DEVICE = re.compile(
    r"H2D|HtoD|HostToDevice|kind_src:(?!device).*kind_dst:device", re.IGNORECASE
)
_TO_HOST = re.compile(r"D2H|DtoH|DeviceToHost|kind_src:device.*kind_dst:(?!device)", re.IGNORECASE)
_COPY_DETAILS = "memcpy_details"
_COLLECTIVE = re.compile(
    r"nccl|rccl|all[-_]?(reduce|gather|to[-_]?all)|reduce[-_]?scatter|collective", re.IGNORECASE
)
_INFEED, _OUTFEED = "infeed", "outfeed"
# half precision, bfloat16 and 8-bit floats; tf32 keeps its tensors in 32 bits
_HALF = re.compile(
    r"half|b?f(p|loat)?16|f(p|loat)?8|e4m3|e5m2|hmma|[hs](884|16816)|h1688", re.IGNORECASE
)
_SHAPES = "tensor_shapes"


def on_device(plane: Plane) -> Codes:
    code = by_name(plane, _by_kernel)
    _set_copies(code, plane)
    _set_half(code, plane)
    if is_tpu(plane):
        _leave_out_enclosing(code, plane)
    for line in np.flatnonzero(~lines_that_count(plane)).tolist():
        code[plane.rows_of_line(line)] = NO_CODE
    return code


def _by_kernel(name: str) -> Category:
    # of `%fusion.3 = bf16[8] fusion(%all-reduce.1)`, what it reads does not tell what it is
    instruction = name.partition(" = ")[0].removeprefix("%")
    if _COPY.search(instruction):
        return _by_copy(instruction)
    if _COLLECTIVE.search(instruction):
        return Category.COLLECTIVES
    if instruction.startswith(_INFEED):
        return Category.INPUT
    if instruction.startswith(_OUTFEED):
        return Category.OUTPUT
    return Category.DEVICE_COMPUTE_16 if _HALF.search(name) else Category.DEVICE_COMPUTE_32


def _leave_out_enclosing(code: Codes, plane: Plane) -> None:
    """A loop has the instructions of its rounds within it: what it waits for is in these."""
    events = plane.events
    line = plane.line_of(np.arange(len(events)))
    holder = holders(line, events.start_ps, events.end_ps)
    code[holder[holder >= 0]] = NO_CODE


def _by_copy(text: str) -> Category:
    if _TO_DEVICE.search(text):
        return Category.HOST_TO_DEVICE
    return Category.OUTPUT if _TO_HOST.search(text) else Category.DEVICE_TO_DEVICE


def _set_copies(code: Codes, plane: Plane) -> None:
    """Where a copy's name does not tell its direction, its details may."""
    if not plane.has_stat(_COPY_DETAILS):
        return
    found = plane.stat(_COPY_DETAILS)
    texts = found.texts()
    codes = np.array([code_of(_by_copy(text)) for text in texts.table], np.int8)
    vague = code[found.rows] == code_of(Category.DEVICE_TO_DEVICE)
    code[found.rows[vague]] = codes[texts.codes[vague]]


def _set_half(code: Codes, plane: Plane) -> None:
    """Kernels whose tensors are of half precision, whatever the kernel is called."""
    if not plane.has_stat(_SHAPES):
        return
    found = plane.stat(_SHAPES)
    half = found.texts().map(lambda text: _HALF.search(text) is not None)
    wide = code[found.rows] == code_of(Category.DEVICE_COMPUTE_32)
    code[found.rows[wide & half]] = code_of(Category.DEVICE_COMPUTE_16)
