"""FLOPs and bytes of the ops that ran, from the graph: joined by name, fused ops taken together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tfprof.analyses.graph.layer_names import folded, without_calls
from tfprof.analyses.runtime.op_events import OpEvents
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.graph import Graph
from tfprof.wire.distinct import distinct

if TYPE_CHECKING:  # a capture has no such costs, and need not import what counts them
    from tfprof.analyses.cost.op_costs import OpCost, OpCosts

Floats = npt.NDArray[np.float64]

# as Grappler's remapper and oneDNN call an op that took others in
FUSED = late_pattern(r"_(?:MklNative)?Fused(.+)")


@frozen_dataclass
class EventWork:
    """Of each execution; not a number where it is not known."""

    flops: Floats
    bytes: Floats
    # not known, though there is some: a host that only launches kernels does none of the work
    unknown: npt.NDArray[np.bool_]

    def where(self, rows: npt.NDArray[np.bool_]) -> EventWork:
        return EventWork(self.flops[rows], self.bytes[rows], self.unknown[rows])


@frozen_dataclass
class _Amount:
    flops: int
    read: int
    written: int


def work_of(runs: OpEvents, costs: OpCosts, graph: Graph) -> EventWork:
    """What depends on a size that is open is not known."""
    amounts = {without_calls(op.site.name): _amount(op) for op in costs.ops}
    ran = {without_calls(name) for name in runs.node.table}
    fused = _fused(runs)
    flops, moved = (np.full(len(runs.node.table), np.nan) for _ in range(2))
    for code, name in enumerate(runs.node.table):
        node = without_calls(folded(name))
        chain = _absorbed(graph, node, ran) if code in fused else [node]
        known = [one for one in map(amounts.get, chain) if one is not None]
        if len(known) == len(chain):
            flops[code] = sum(one.flops for one in known)
            moved[code] = _moved(known)
    share = _part_of_the_work(runs)
    done = flops[runs.node.codes] * share
    unknown = np.isnan(done) & (~np.isnan(share) | runs.pipeline)
    return EventWork(done, moved[runs.node.codes] * share, unknown)


def ran_as_written(runs: OpEvents, graph: Graph) -> dict[int, str]:
    """By code, the nodes that ran by themselves; of some in one op the first, which it is."""
    ran = {without_calls(name) for name in runs.node.table}
    fused = _fused(runs)
    found = {}
    for code in distinct(runs.node.codes).tolist():
        node = without_calls(runs.node.table[code])
        found[code] = _absorbed(graph, node, ran)[-1] if code in fused else node
    return found


def _fused(runs: OpEvents) -> set[int]:
    """The nodes that ran with others in one op."""
    kinds = runs.op.map(lambda op: FUSED.fullmatch(op) is not None)
    return set(distinct(runs.node.codes[kinds]).tolist())


def _part_of_the_work(runs: OpEvents) -> Floats:
    """How much of its node's work an execution does; not a number if that is not known.

    A node on a GPU is launched by the host, which does none of it, and may be several kernels, the
    first of which stands for all. Ops of the pipeline may share a name with a node of the model.
    """
    on_device = runs.on_device
    count = len(runs.node.table)
    kernels = np.bincount(runs.node.codes[on_device], minlength=count)[runs.node.codes]
    part = np.where(on_device, runs.begins.astype(float), np.where(kernels > 0, np.nan, 1.0))
    return np.where(runs.pipeline, np.nan, part)


def _amount(op: OpCost) -> _Amount | None:
    """Of one execution: the cost of a site is that of all its rounds."""
    times = op.site.times
    if op.cost is None or not isinstance(times, int) or times < 1:
        return None
    values = (op.cost.flops_all, op.cost.read, op.cost.written)
    whole = [value // times for value in values if isinstance(value, int)]
    return _Amount(*whole) if len(whole) == len(values) else None


def _absorbed(graph: Graph, name: str, ran: set[str]) -> list[str]:
    """The node a fused op is named after, and what it took in: nodes before it that never ran."""
    row = graph.index.get(name, -1)
    if row < 0:
        return [name, ""]  # inside a function: nothing says what was taken in
    chain = [name]
    inputs = _inputs(graph, row)
    while len(inputs):
        row = int(inputs[0])
        before = graph.names[row] if row >= 0 else ""
        inputs = _inputs(graph, row) if before and before not in chain else []
        # a constant or what is fed does not run, and nothing has to take it in
        if not len(inputs) or without_calls(before) in ran:
            break
        chain.append(before)
    return chain


def _inputs(graph: Graph, row: int) -> Sequence[int]:
    edges = graph.edges
    return edges.node[edges.offsets[row] : edges.offsets[row + 1]].tolist()  # type: ignore[no-any-return]


def _moved(chain: Sequence[_Amount]) -> int:
    """What passes from one op of a fused one to the next is neither written nor read."""
    last, *before = chain
    read = sum(one.read for one in chain) - sum(one.written for one in before)
    return max(0, read) + last.written
