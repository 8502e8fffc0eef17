"""FLOPs that an op log says, beside those that are counted of a step."""

from __future__ import annotations

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity


@frozen_dataclass
class LoggedFlops:
    """The sum over the nodes of the graph that the log names."""

    float_ops: int
    nodes: int


def logged_flops(data: ProfileData) -> LoggedFlops | None:
    """None where no log says anything of the graph."""
    if data.oplog is None or not data.oplog.float_ops or data.graph is None:
        return None
    index = data.graph.index
    counts = [count for name, count in data.oplog.float_ops.items() if name in index]
    return LoggedFlops(sum(counts), len(counts))


def logged_beside_counted(logged: LoggedFlops | None, counted: Quantity) -> list[str]:
    """Why there are two numbers: a log is of a graph, also of nodes that no step runs."""
    if logged is None or counted.value in (None, logged.float_ops):
        return []
    value = counted.number
    ours = f"{value:,}" if value is not None else str(counted.value)
    log = f"the op log has {logged.float_ops:,} in {logged.nodes:,} nodes of the graph"
    return [f"float_ops: {log}, the ops of the step come to {ours}"]
