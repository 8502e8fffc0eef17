"""How many floating-point operations each node takes, from the op log or from our own rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from tfprof.model.graph import Graph
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.ops.float_ops import rules
from tfprof.ops.no_float_ops import WITHOUT_FLOAT_OPS
from tfprof.ops.shapes_of import TensorShapes


@dataclass(frozen=True, slots=True)
class FloatOps:
    """What one run of each node takes, and whose cost is not in it."""

    # nodes that take any
    by_node: dict[str, int] = field(default_factory=dict)
    # op type to the nodes with a rule whose shapes are incomplete
    unknown: dict[str, list[str]] = field(default_factory=dict)
    # op type to how many nodes have it, where there is no rule
    uncounted: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Every node once: a sum that is too low if anything is unknown or uncounted."""
        return sum(self.by_node.values())


def count_float_ops(data: ProfileData) -> FloatOps:
    """The op log has the last word; what it leaves out is calculated."""
    logged = _logged(data)
    if data.graph is None:
        return FloatOps(logged)
    calculated, unknown = _calculated(data.graph, data.trace, logged)
    return FloatOps({**logged, **calculated}, unknown, _uncounted(data.graph, logged))


def _logged(data: ProfileData) -> dict[str, int]:
    """What the op log says about nodes there are; it may have been written for another graph."""
    float_ops = {} if data.oplog is None else data.oplog.float_ops
    if data.graph is None:
        return {name: count for name, count in float_ops.items() if count}
    ran = set() if data.trace is None else set(data.trace.executions.node.table)
    index = data.graph.index
    return {n: count for n, count in float_ops.items() if count and (n in index or n in ran)}


def _calculated(
    graph: Graph, trace: Trace | None, logged: Container[str]
) -> tuple[dict[str, int], dict[str, list[str]]]:
    """By node, of those that are not logged; and the nodes of unknown shapes by op type."""
    known, shapes = rules(), TensorShapes(graph, trace)
    by_node: dict[str, int] = {}
    unknown: dict[str, list[str]] = {}
    for row in graph.ops.where(*known).tolist():
        name, op = graph.names[row], graph.ops[row]
        # of nodes with one name the first counts
        if name in logged or graph.index[name] != row:
            continue
        count = known[op](shapes.op(row))
        if count is None:
            unknown.setdefault(op, []).append(name)
        elif count:
            by_node[name] = count
    return by_node, unknown


def _uncounted(graph: Graph, logged: Iterable[str]) -> dict[str, int]:
    """The op types that nothing is known about, most frequent first."""
    unlogged = Counter(graph.ops.counts())
    unlogged.subtract(graph.ops[graph.index[name]] for name in logged if name in graph.index)
    return {
        op: count
        for op, count in unlogged.most_common()
        if count > 0 and op not in rules() and op not in WITHOUT_FLOAT_OPS
    }
