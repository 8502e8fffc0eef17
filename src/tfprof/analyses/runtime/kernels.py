"""The kernels of GPUs: how often, how long, with which registers, memory, grid and occupancy."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tfprof.model.interned import Interned
from tfprof.model.op_names import op_name
from tfprof.model.xspace import Plane, Space
from tfprof.results.kernels import KernelsPartial, KernelSums, Launch
from tfprof.results.partial import merged

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_DETAILS = "kernel_details"
_OCCUPANCY = "theoretical_occupancy_pct"
# more registers than any thread can have: an old tracer writes garbage
_MOST_REGISTERS = 1024
_PART = re.compile(r"(\w+):(\S+)")
_TENSOR_CORES = re.compile(
    r"16816|c1688|h1688|s1688|h884|s884|hmma|i8816|i16832|xmma_gemm|xmma_implicit_gemm"
    r"|xmma_sparse|conv1x1|sm90_|sm100_|wgmma|Cijk_.*MI\d",
    re.IGNORECASE,
)
_ELIGIBLE = re.compile(
    r".*(?:Conv[23]D(?:Backprop(?:Filter|Input)(?:V2)?)?|DepthwiseConv2dNative\w*"
    r"|(?:^|/)MatMul(?:_\d+)?|FusedMatMul|BatchMatMul\w*|CudnnRNN\w*|XlaDot\w*)"
)


def kernels(spaces: Iterable[Space]) -> KernelsPartial:
    """Of all devices of all hosts."""
    return merged([KernelsPartial(), *map(of_space, spaces)])


def of_space(space: Space) -> KernelsPartial:
    found = [one for plane in space.devices if plane.has_stat(_DETAILS) for one in _of(plane)]
    return KernelsPartial(tuple(sorted(found, key=lambda one: one.key)))


def _of(plane: Plane) -> list[KernelSums]:
    details = plane.stat(_DETAILS)
    rows, texts = details.rows, details.texts()
    if not len(rows):
        return []  # a name that no event uses
    ops = _texts_at(plane, "tf_op", rows)
    names = Interned(plane.events.name[rows], plane.event_names.name)
    keys = np.stack([names.codes, texts.codes, ops.codes])
    distinct, group = np.unique(keys, axis=1, return_inverse=True)
    order = np.argsort(group.reshape(-1), kind="stable")
    bounds = np.cumsum(np.bincount(group.reshape(-1), minlength=distinct.shape[1]))[:-1]
    occupancy = _floats_at(plane, _OCCUPANCY, rows)
    made = []
    for mine, (name, detail, op) in zip(np.split(order, bounds), distinct.T.tolist(), strict=True):
        took = plane.events.duration_ps[rows[mine]]
        kernel, annotation = names.table[name], op_name(ops.table[op])
        node = annotation.name if annotation else ""
        made.append(
            KernelSums(
                kernel,
                node,
                plane.device,
                texts.table[detail],
                len(mine),
                int(took.sum()),
                int(took.min()),
                int(took.max()),
                _launch(kernel, node, texts.table[detail], occupancy[mine[:1]]),
            )
        )
    return made


def _launch(name: str, op: str, details: str, stated: Floats) -> Launch:
    parts = dict(_PART.findall(details))
    # by its name, which libraries build from what a kernel does
    uses = bool(_TENSOR_CORES.search(name))
    return Launch(
        _registers(parts),
        _shared(parts),
        parts.get("grid"),
        parts.get("block"),
        _percent(parts, stated),
        uses,
        bool(_ELIGIBLE.fullmatch(op)) or uses,
    )


def _texts_at(plane: Plane, stat: str, rows: Ints) -> Interned:
    """A stat of some events, the empty string without one."""
    found = plane.stat(stat)
    texts = found.texts()
    codes = np.full(len(plane.events), len(texts.table), np.int32)
    codes[found.rows] = texts.codes
    return Interned(codes[rows], [*texts.table, ""])


def _floats_at(plane: Plane, stat: str, rows: Ints) -> Floats:
    found = plane.stat(stat)
    values = np.full(len(plane.events), np.nan)
    values[found.rows] = found.floats()
    return values[rows]


def _registers(parts: dict[str, str]) -> int | None:
    count = _whole(parts.get("regs"))
    return count if count is not None and count <= _MOST_REGISTERS else None


def _shared(parts: dict[str, str]) -> int | None:
    """Static and dynamic; AMD calls it the memory of a group."""
    found = [_whole(parts.get(key)) for key in ("static_shared", "dynamic_shared", "group_mem")]
    known = [size for size in found if size is not None]
    return sum(known) if known else None


def _percent(parts: dict[str, str], stated: Floats) -> float | None:
    """As a share of 1."""
    if not np.isnan(stated[0]):
        return float(stated[0]) / 100
    try:
        return float(parts["occ_pct"]) / 100
    except (KeyError, ValueError):
        return None


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
