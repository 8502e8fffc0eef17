"""The peak that Grappler works with when it decides what to swap: not ours, and often far off.

Its memory optimiser simulates the graph before anything is fed: open sizes count as 1, one op runs
at a time, every output is a tensor of its own from the start of its op until its last reader has
ended; kernels need no scratch. A graph with an open batch so has the peak of one sample.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.analyses.memory.step_sources import StepOps
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import at, elements, packed
from tfprof.model.graph import Graph
from tfprof.ops.rule import Tensor

# what its cost model takes for a processor of two cores: operations and bytes a nanosecond
_OPS, _BYTES = 4.0, 32.0


@frozen_dataclass
class GrapplerPeak:
    """In bytes with all of `open` taken as 1."""

    bytes: int
    open: tuple[str, ...]


def grappler_peak(step: StepOps) -> GrapplerPeak | None:
    """Of a step with symbols for what its graph leaves open; None where it leaves nothing open."""
    ones = dict.fromkeys(step.costs.symbols, 1)
    if not ones:
        return None
    ops = {op.site.row: op for op in step.costs.ops if _is_node(step.graph, op)}
    sizes = {row: [_bytes(one, ones) for one in op.site.call.outputs] for row, op in ops.items()}
    ends = _scheduled(step.graph, ops, ones)
    return GrapplerPeak(_most(step.graph, sizes, ends), tuple(ones))


def _is_node(graph: Graph, op: OpCost) -> bool:
    """What runs inside a function is not looked at."""
    return op.site.name == graph.names[op.site.row]


def _bytes(tensor: Tensor, ones: Mapping[str, int]) -> int:
    if tensor.shape is None:
        return 0
    known = tuple(1 if size is None else at(size, ones) for size in tensor.shape)
    held = packed(elements(known), tensor.dtype)
    return held if isinstance(held, int) else 0


_Span = tuple[float, float]


def _scheduled(
    graph: Graph, ops: Mapping[int, OpCost], ones: Mapping[str, int]
) -> dict[int, _Span]:
    """When each starts and ends: of those that are ready, the one that was ready first."""
    edges = graph.edges
    readers: dict[int, list[int]] = {}
    waits: dict[int, int] = {}
    for row in ops:
        span = range(int(edges.offsets[row]), int(edges.offsets[row + 1]))
        sources = {int(edges.node[edge]) for edge in span} & ops.keys()
        waits[row] = len(sources)
        for source in sources:
            readers.setdefault(source, []).append(row)
    ready = [(0.0, graph.names[row], row) for row, count in waits.items() if not count]
    heapq.heapify(ready)
    found: dict[int, _Span] = {}
    now = 0.0
    while ready:
        since, _, row = heapq.heappop(ready)
        start = max(now, since)
        now = start + _nanoseconds(ops[row], ones)
        found[row] = start, now
        for reader in readers.get(row, ()):
            waits[reader] -= 1
            if not waits[reader]:
                heapq.heappush(ready, (now, graph.names[reader], reader))
    return found


def _nanoseconds(op: OpCost, ones: Mapping[str, int]) -> float:
    cost = op.cost
    if cost is None:
        return 1.0
    work, moved = (at(size, ones) for size in (cost.flops_all, cost.bytes))
    took = [one / rate for one, rate in ((work, _OPS), (moved, _BYTES)) if isinstance(one, int)]
    return max(1.0, sum(took))


def _most(graph: Graph, sizes: Mapping[int, list[int]], spans: Mapping[int, _Span]) -> int:
    events = sorted(_events(graph, sizes, spans))
    live = most = 0
    for number, (when, change) in enumerate(events):
        live += change
        # what goes and comes at the same instant does not count twice
        if number + 1 == len(events) or events[number + 1][0] > when:
            most = max(most, live)
    return most


def _events(
    graph: Graph, sizes: Mapping[int, list[int]], spans: Mapping[int, _Span]
) -> Iterator[tuple[float, int]]:
    last: dict[tuple[int, int], float] = {}
    edges = graph.edges
    for row, (_, end) in spans.items():
        for edge in range(int(edges.offsets[row]), int(edges.offsets[row + 1])):
            read = int(edges.node[edge]), int(edges.port[edge])
            last[read] = max(last.get(read, 0.0), end)
    for row, (start, end) in spans.items():
        for port, size in enumerate(sizes[row]):
            if size:
                yield start, size
                yield max(end, last.get((row, port), 0.0)) + 1, -size
