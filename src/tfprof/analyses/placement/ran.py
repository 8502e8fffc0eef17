"""Where nodes ran and what that took, device by device."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tfprof.model.device_specs import DeviceNames, DeviceSpec
from tfprof.model.trace import Executions, Trace

Ints = npt.NDArray[np.int64]

CPU = "CPU"
# what the runtime does between nodes
_NO_NODE = re.compile(r"(_SOURCE|_SINK|RecvTensor)(:.*)?|[^:]*MEMCPY.*|.*:MEMCPY.*")
_ALL_STREAMS = "/stream:all"
_BEHIND = re.compile(r".*/(stream[:#].*|memcpy)")


@dataclass(slots=True)
class Use:
    """Of one device in all steps together. `micros` of a GPU is that of its kernels."""

    nodes: int = 0
    micros: float = 0
    requested: float = 0


@dataclass(frozen=True, slots=True)
class Ran:
    devices: dict[str, Use] = field(default_factory=dict)
    # by node, and by node and device: microseconds of all its runs
    places: dict[str, list[str]] = field(default_factory=dict)
    micros: dict[tuple[str, str], float] = field(default_factory=dict)


def where_ran(trace: Trace | None, names: DeviceNames, transfers: frozenset[int]) -> Ran:
    """`transfers` are the rows of copies, which are no nodes. Devices have short names."""
    if trace is None or not len(trace.executions):
        return Ran()
    rows = trace.executions
    table = [names(name) for name in rows.device.table]
    devices = list(dict.fromkeys(table))
    device = np.array([devices.index(name) for name in table], np.int64)[rows.device.codes]
    is_kernel, is_op = _layers(rows, table)
    node, node_names = _nodes(rows, transfers)
    micros = np.maximum(rows.op_end_rel, 1)
    counts = (node >= 0) & (is_kernel | is_op) & (rows.start > 0)
    if trace.space is not None:
        counts &= ~_launches(node, device, _accelerators(devices), len(node_names))
    timed = counts & _timed(is_kernel, is_op, device, len(devices))
    pair = node[counts] * len(devices) + device[counts]
    distinct, inverse = np.unique(pair, return_inverse=True)
    times = np.bincount(inverse, micros[counts] * timed[counts], len(distinct)).tolist()
    requested = np.bincount(inverse, (rows.requested * is_op)[counts], len(distinct)).tolist()
    ran = Ran({devices[at]: Use() for at in np.unique(device[counts]).tolist()})
    for at, both in enumerate(distinct.tolist()):
        name, where = node_names[both // len(devices)], devices[both % len(devices)]
        use = ran.devices[where]
        use.nodes, use.micros = use.nodes + 1, use.micros + times[at]
        use.requested += requested[at]
        ran.places.setdefault(name, []).append(where)
        ran.micros[name, where] = times[at]
    return ran


def _layers(rows: Executions, table: list[str]) -> tuple[npt.NDArray[np.bool_], ...]:
    """Kernels of a device, and ops as the executor saw them; a stream alone repeats all streams."""
    full = list(rows.device.table)
    behind = [_BEHIND.fullmatch(name) is not None for name in full]
    whole = {short for name, short in zip(full, table, strict=True) if name.endswith(_ALL_STREAMS)}
    kernels = [
        name.endswith(_ALL_STREAMS) or ("/stream" in name and short not in whole)
        for name, short in zip(full, table, strict=True)
    ]
    ops = [
        not one and DeviceSpec.of(name).type is not None
        for name, one in zip(full, behind, strict=True)
    ]
    return np.array(kernels, bool)[rows.device.codes], np.array(ops, bool)[rows.device.codes]


def _nodes(rows: Executions, transfers: frozenset[int]) -> tuple[Ints, list[str]]:
    """The node of each row, -1 for what is none; a device may add behind a colon what it did."""
    cut = ["" if _NO_NODE.fullmatch(name) else name.partition(":")[0] for name in rows.node.table]
    index = {name: code for code, name in enumerate(dict.fromkeys(name for name in cut if name))}
    node = np.array([index.get(name, -1) for name in cut] or [-1], np.int64)[rows.node.codes]
    node[list(transfers)] = -1
    return node, list(index)


def _accelerators(devices: list[str]) -> npt.NDArray[np.bool_]:
    return np.array([DeviceSpec.of(name).type not in (None, CPU) for name in devices], bool)


def _launches(
    node: Ints, device: Ints, accelerator: npt.NDArray[np.bool_], count: int
) -> npt.NDArray[np.bool_]:
    """In a capture, a thread's event of a node whose kernels ran on a device is their launch."""
    has_kernels = np.zeros(count + 1, bool)
    has_kernels[node[accelerator[device]]] = True
    has_kernels[-1] = False  # rows of no node
    return has_kernels[node] & ~accelerator[device]


def _timed(
    is_kernel: npt.NDArray[np.bool_], is_op: npt.NDArray[np.bool_], device: Ints, count: int
) -> npt.NDArray[np.bool_]:
    """Where kernels were recorded they are the time of the device, not their launches."""
    with_kernels = np.bincount(device[is_kernel], minlength=count) > 0
    return is_kernel | (is_op & ~with_kernels[device])
