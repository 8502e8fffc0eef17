"""What of a run the original looks at: which executions count, which devices are there."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.accounting.nodes import Nodes
from tfprof.model.device import holds_kernels, is_cpu_or_gpu
from tfprof.model.trace import Trace
from tfprof.wire.distinct import distinct

Kept = tuple[int, int, str, bool]


def kept_executions(nodes: Nodes, trace: Trace) -> Iterator[Kept]:
    """Position, node row, device in lower case, and whether the device is the node's own.

    The first CPU or GPU a node is seen on is its own; what it did on another one is left out.
    """
    runs = trace.executions
    rows = [nodes.row_of.get(name.partition(":")[0], -1) for name in runs.node.table]
    devices = [device.lower() for device in runs.device.table]
    codes = zip(runs.node.codes.tolist(), runs.device.codes.tolist(), strict=True)
    for at, (node, place) in enumerate(codes):
        row, device = rows[node], devices[place]
        own = row >= 0 and device == nodes.devices[row]
        if row >= 0 and (own or not is_cpu_or_gpu(device)):
            yield at, row, device, own


def misses_stream(trace: Trace | None) -> bool:
    """Whether a step used a GPU without telling the time on it, for which stream:all stands."""
    if trace is None:
        return False
    runs = trace.executions
    devices = [device.lower() for device in runs.device.table]
    for step in set(runs.step.tolist()):
        codes = distinct(runs.device.codes[runs.step == step]).tolist()
        gpus = [devices[code] for code in codes if "gpu" in devices[code]]
        if gpus and not any(map(holds_kernels, gpus)):
            return True
    return False
