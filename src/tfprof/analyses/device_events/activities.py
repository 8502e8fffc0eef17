"""What a device is doing, by the names of its kernels, copies and instructions."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from tfprof.late_pattern import late_pattern
from tfprof.model.device_labels import (
    BETWEEN,
    ON_DEVICE,
    TO_DEVICE,
    TO_HOST,
    copy_label,
    is_copy,
    is_memset,
)
from tfprof.model.op_names import instruction_name
from tfprof.model.xspace import Plane
from tfprof.results.device_work import Activity

Codes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]

ACTIVITIES = tuple(Activity)
_CODE = {activity: np.int8(code) for code, activity in enumerate(ACTIVITIES)}
_COPY_DETAILS = "memcpy_details"
_COPIES = {
    TO_DEVICE: Activity.TO_DEVICE,
    TO_HOST: Activity.TO_HOST,
    ON_DEVICE: Activity.ON_DEVICE,
    BETWEEN: Activity.BETWEEN,
}
_COLLECTIVE = late_pattern(
    r"nccl|rccl|all[-_]?(reduce|gather|to[-_]?all)|reduce[-_]?scatter|collective", re.IGNORECASE
)
# what was started earlier is not done yet, and nothing else can go on
_WAITING = late_pattern(r"(?!.*(?:all-|collective)).*-done(?:\.\d+)?")
_INFEED, _OUTFEED = "infeed", "outfeed"
# half precision, bfloat16 and 8-bit floats; tf32 keeps its tensors in 32 bits
_HALF = late_pattern(
    r"half|b?f(p|loat)?16|f(p|loat)?8|e4m3|e5m2|hmma|[hs](884|16816)|h1688", re.IGNORECASE
)
_SHAPES = "tensor_shapes"


def code_of(activity: Activity) -> np.int8:
    return _CODE[activity]


def activity_codes(plane: Plane) -> Codes:
    """Of every event of a device a place in ACTIVITIES; a name is asked once, not once an event."""
    codes = [_CODE[_by_name(name)] for name in plane.event_names.name]
    found: Codes = plane.by_name(np.array(codes, np.int8))
    if plane.has_stat(_COPY_DETAILS):
        _set_copies(found, plane)
    return found


def _by_name(event: str) -> Activity:
    name = instruction_name(event)
    if is_copy(name):
        return _COPIES[copy_label(name)]
    if is_memset(name):
        return Activity.MEMSET
    if _COLLECTIVE.search(name):
        return Activity.COLLECTIVE
    if _WAITING.fullmatch(name):
        return Activity.WAITING
    if name.startswith(_INFEED):
        return Activity.INPUT
    return Activity.OUTPUT if name.startswith(_OUTFEED) else Activity.COMPUTE


def _set_copies(codes: Codes, plane: Plane) -> None:
    """Where a copy's name does not tell its direction, its details may."""
    found = plane.stat(_COPY_DETAILS)
    texts = found.texts()
    told = np.array([_CODE[_COPIES[copy_label(text)]] for text in texts.table], np.int8)
    vague = codes[found.rows] == _CODE[Activity.ON_DEVICE]
    codes[found.rows[vague]] = told[texts.codes[vague]]


def in_half_precision(plane: Plane) -> Mask:
    """Which kernels work on 16 or 8 bits, by what they are called, else by their tensors."""
    names = [_HALF.search(name) is not None for name in plane.event_names.name]
    found: Mask = plane.by_name(np.array(names, bool))
    if plane.has_stat(_SHAPES):
        shapes = plane.stat(_SHAPES)
        half = shapes.texts().map(lambda text: _HALF.search(text) is not None)
        found[shapes.rows[half]] = True
    return found
