"""How many floating-point operations each node takes, from the op log or from our own rules.

The formulas are those that TensorFlow registers for the original tool: a multiplication and an
addition count one each, whatever the data type. Ours differ where those are wrong: the adjoint of a
batched product, layouts with channels first, control inputs, and counts below zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import field

from tfprof.analyses.inference.engine import infer
from tfprof.analyses.inference.run_sizes import sizes_of_run
from tfprof.analyses.inference.sites import Given
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.budget import OverBudget
from tfprof.model.dims import Size, at
from tfprof.model.graph import Graph
from tfprof.model.hosts import Host
from tfprof.model.profile import ProfileData
from tfprof.ops.rule import rules


@frozen_dataclass
class FloatOps:
    """What one run of each node takes, and whose cost is not in it."""

    # nodes that take any
    by_node: dict[str, int] = field(default_factory=dict)
    # op type to the nodes with a count whose shapes are incomplete
    unknown: dict[str, list[str]] = field(default_factory=dict)
    # op type to how many nodes have it, where no rule says what it takes
    uncounted: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Every node once: a sum that is too low if anything is unknown or uncounted."""
        return sum(self.by_node.values())


def count_float_ops(data: ProfileData, given: Given | None = None) -> FloatOps:
    """The op log has the last word; what it leaves out is calculated."""
    logged = _logged(data)
    if data.graph is None:
        return FloatOps(logged)
    calculated, unknown = _calculated(data, logged, given)
    return FloatOps({**logged, **calculated}, unknown, _uncounted(data.graph, logged))


def _logged(data: ProfileData) -> dict[str, int]:
    """What the op log says about nodes there are; it may have been written for another graph."""
    float_ops = {} if data.oplog is None else data.oplog.float_ops
    if data.graph is None or not float_ops:
        return {name: count for name, count in float_ops.items() if count}
    ran = {name for some in data.hosts.each("nodes that ran", _nodes_run) for name in some}
    index = data.graph.index
    return {n: count for n, count in float_ops.items() if count and (n in index or n in ran)}


def _nodes_run(host: Host) -> Sequence[str]:
    return host.trace.executions.node.table


def _calculated(
    data: ProfileData, logged: Container[str], given: Given | None
) -> tuple[dict[str, int], dict[str, list[str]]]:
    """By node, of those that are not logged; and the nodes of unknown shapes by op type.

    What a node calls counts for the node. A node of a loop counts once where a run says how often.
    """
    graph = data.graph
    by_node: dict[str, int] = {}
    unknown: dict[str, list[str]] = {}
    sites = infer(data, given=given).sites
    sizes = sizes_of_run(data, sites)
    cut: set[str] = set()
    for site in sites:
        float_ops = None if site.rule is None else site.rule.float_ops
        name = graph.names[site.row] if graph is not None else ""
        if site.cut and name not in logged:
            cut.add(name)
        if not float_ops or name in logged:
            continue
        count = float_ops(site.call)
        is_node = site.name == name
        if is_node and graph is not None and graph.index[name] != site.row:
            continue  # of nodes with one name the first counts
        total = count if is_node and data.hosts else _in_loops(count, site.times)
        total = None if total is None else at(total, sizes)
        if not isinstance(total, int):
            unknown.setdefault(site.op, []).append(site.name)
        elif total:
            by_node[name] = by_node.get(name, 0) + total
    if graph is not None:
        for name in cut:
            by_node.pop(name, None)  # a part of it
            unknown.setdefault(graph.ops[graph.index[name]], []).append(name)
    return by_node, unknown


def _in_loops(count: Size | None, times: Size) -> Size | None:
    try:
        return None if count is None else count * times
    except OverBudget:
        return None


def _uncounted(graph: Graph, logged: Iterable[str]) -> dict[str, int]:
    """The op types of which no rule says what they take, most frequent first."""
    said = {op for op, rule in rules().items() if rule.float_ops is not None}
    unlogged = Counter(graph.ops.counts())
    unlogged.subtract(graph.ops[graph.index[name]] for name in logged if name in graph.index)
    return {op: count for op, count in unlogged.most_common() if count > 0 and op not in said}
