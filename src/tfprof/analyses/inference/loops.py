"""Loops: how often they run, and what is true of a tensor in every round.

Those of today are a While with two functions; the early ones are Enter, Merge, Switch, Exit and
NextIteration nodes, all with the name of their frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from tfprof.analyses.inference.order import BACK_EDGES
from tfprof.model.dims import Open, Size, ceil_div
from tfprof.model.graph import Function, Graph
from tfprof.ops.rule import Call, Tensor

Results = Mapping[int, Sequence[Tensor]]

_PASSES_ON = frozenset({"Identity", "StopGradient", "Enter", "RefEnter", "Cast", "LoopCond"})
_ADDS = frozenset({"Add", "AddV2"})
_COMPARES = ("Less", "LessEqual", "Greater", "GreaterEqual")
_LONGEST_WAY = 20


def joined(
    before: Tensor,
    after: Tensor,
    first: Tensor | None = None,
    step: Tensor | None = None,
    trips: Size | None = None,
) -> Tensor:
    """What is true before and after; of a counter and a list, what they have come to at the end."""
    length, value = before.length, before.value
    if before.length != after.length or before.value != after.value:
        length = value = None
    if first is not None and step is not None and trips is not None:
        length = _grown(first.length, step.length, trips)
        value = _counted(first, step, trips) if value is None else value
    holds = before.holds if after.holds is None else after.holds
    if before.holds is not None and after.holds is not None and before.length != 0:
        # a list that was only reserved says less about its elements than one with some in it
        filled = joined(before.holds, after.holds)
        holds = replace(filled, shape=_told_by_both(before.holds.shape, after.holds.shape))
    shape, dtype = _common(before.shape, after.shape), before.dtype or after.dtype
    same = before.variable == after.variable
    return Tensor(shape, dtype, value, holds, length, variable=before.variable if same else "")


def _told_by_both(one: Open, other: Open) -> Open:
    if one is None or other is None:
        return other if one is None else one
    if len(one) != len(other):
        return None
    return tuple(
        b if a is None else a if b is None or a == b else None
        for a, b in zip(one, other, strict=True)
    )


def _common(one: Open, other: Open) -> Open:
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(a if a == b else None for a, b in zip(one, other, strict=True))


def _grown(first: Size | None, after_one: Size | None, trips: Size) -> Size | None:
    if first is None or after_one is None:
        return None
    return first + (after_one - first) * trips


def _counted(first: Tensor, after_one: Tensor, trips: Size) -> tuple[Size | None, ...] | None:
    """The last value of a counter that goes up evenly."""
    one, two = first.value, after_one.value
    if one is None or two is None or len(one) != 1 or len(two) != 1:
        return None
    if one[0] is None or two[0] is None:
        return None
    return (one[0] + (two[0] - one[0]) * trips,)


# --- loops of today


def loop_trips(start: Sequence[Tensor], condition: Function, body: Function) -> Size | None:
    """From `counter < bound` in the condition, and what the body adds to the counter."""
    (result, *_) = [*condition.results.values(), ""]
    row = condition.body.index.get(result.partition(":")[0], -1)
    return _first_bound(condition.body, row, start, body)


def _function_value(graph: Graph, row: int, start: Sequence[Tensor]) -> tuple[Size | None, int]:
    """The value that a node of the condition has at the start; and which argument it is."""
    row = _origin(graph, row)
    if row < 0:
        return None, -1
    if graph.ops[row] == "_Arg":
        value = start[row].value if row < len(start) else None
        return (value[0] if value is not None and len(value) == 1 else None), row
    return _constant(graph, row), -1


def _first_bound(
    graph: Graph,
    row: int,
    start: Sequence[Tensor],
    body: Function,
) -> Size | None:
    """Of several conditions that all have to hold, the first that says a number."""
    for op, one, other in _comparisons(graph, row):
        small, large = (one, other) if op.startswith("Less") else (other, one)
        begin, counter = _function_value(graph, small, start)
        end, _ = _function_value(graph, large, start)
        step = _step(body, counter, start)
        if begin is not None and end is not None and step:
            return ceil_div(end - begin + (1 if op.endswith("Equal") else 0), step)
    return None


def _comparisons(graph: Graph, row: int) -> Iterator[tuple[str, int, int]]:
    """The op and both sides of each, in a condition that is one, or several that all must hold."""
    stack = [row]
    for _ in range(_LONGEST_WAY):
        at = _origin(graph, stack.pop()) if stack else -1
        if at >= 0:
            node = graph.node(at)
            if node.op == "LogicalAnd":
                stack += reversed(node.inputs)
            elif node.op in _COMPARES and len(node.inputs) == 2:
                one, other = node.inputs
                yield node.op, one, other


def _step(body: Function, counter: int, start: Sequence[Tensor]) -> int | None:
    """What a round adds to an argument: a constant, or another argument that stays as it is."""
    results = list(body.results.values())
    if not 0 <= counter < len(results):
        return None
    graph = body.body
    row = _origin(graph, graph.index.get(results[counter].partition(":")[0], -1))
    if row < 0 or graph.ops[row] not in _ADDS:
        return None
    rows = [_origin(graph, one) for one in graph.node(row).inputs]
    found = [_function_value(graph, one, start)[0] for one in rows if one != counter]
    steps = [one for one in found if isinstance(one, int) and one > 0]
    return steps[0] if steps else None


def _origin(graph: Graph, row: int) -> int:
    """Back through ops that only pass on."""
    for _ in range(_LONGEST_WAY):
        if row < 0 or graph.ops[row] not in _PASSES_ON:
            return row
        inputs = graph.node(row).inputs
        row = inputs[0] if inputs else -1
    return -1


def _constant(graph: Graph, row: int) -> Size | None:
    from tfprof.ops.rule import rules

    if row < 0 or graph.ops[row] not in ("Const", "HostConst"):
        return None
    rule = rules().get("Const")
    call = Call("", "Const", (), lambda: graph.attributes.of(row))
    tensors = rule.infer(call) if rule is not None else []
    value = tensors[0].value if tensors else None
    return value[0] if value is not None and len(value) == 1 else None


# --- loops of the early kind


class Frames:
    """Which node is in which loop, outer ones first; and how often each loop runs."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.has_any = not {"Enter", "RefEnter"}.isdisjoint(graph.ops.table)
        self._of: dict[int, tuple[str, ...]] = {}
        self._conditions: dict[tuple[str, ...], int] = {}
        self._times: dict[tuple[str, ...], Size] = {}

    def enter(self, row: int, op: str, call: Call, sources: Sequence[int]) -> tuple[str, ...]:
        """The loops a node is in; there are none unless the graph `has_any`."""
        inner: tuple[str, ...] = max((self._of.get(s, ()) for s in sources), key=len, default=())
        if op in ("Enter", "RefEnter"):
            inner = (*inner, call.text("frame_name"))
        elif op in ("Exit", "RefExit"):
            inner = inner[:-1]
        elif op == "LoopCond":
            self._conditions[inner] = row
        self._of[row] = inner
        return inner

    def times(
        self, frame: tuple[str, ...], results: Results, open_loop: Callable[[str, str], Size]
    ) -> Size:
        """How often what is in the frame runs; `open_loop` hears the frame, and the loop's name."""
        total: Size = 1
        for depth in range(1, len(frame) + 1):
            part = frame[:depth]
            if part not in self._times:
                trips = self._trips(part, results)
                if trips is None:
                    row = self._conditions.get(part, -1)
                    name = self._graph.names[row].rpartition("/")[0] if row >= 0 else ""
                    trips = open_loop(part[-1], name)
                self._times[part] = trips
            total = total * self._times[part]
        return total

    def _trips(self, frame: tuple[str, ...], results: Results) -> Size | None:
        condition = self._conditions.get(frame, -1)
        for op, counter, bound in _comparisons(self._graph, condition):
            begin, step = self._counter(counter, results)
            end = self._known(bound, results)
            if begin is not None and end is not None and step:
                # a gradient counts down the rounds that it goes back over
                way = end - begin if op.startswith("Less") else begin - end
                return ceil_div(way + (1 if op.endswith("Equal") else 0), step)
        return None

    def _known(self, row: int, results: Results) -> Size | None:
        """The value of a node; of a counter that has left its loop, what it came to there."""
        graph = self._graph
        at = _origin(graph, row)
        if at < 0 or graph.ops[at] not in ("Exit", "RefExit"):
            return _value(results, at)
        switch = graph.node(at).inputs[0]
        merge = graph.node(switch).inputs[0] if switch >= 0 else -1
        begin, step = self._counter(merge, results)
        trips = self._times.get(self._of.get(merge, ()))
        return None if begin is None or step is None or trips is None else begin + trips * step

    def _counter(self, row: int, results: Results) -> tuple[Size | None, int | None]:
        """Where the counter of a Merge starts, and what NextIteration adds to it."""
        graph = self._graph
        if row < 0 or graph.ops[row] not in ("Merge", "RefMerge"):
            return None, None
        begin: Size | None = None
        step: int | None = None
        for source in graph.node(row).inputs:
            if source < 0:
                continue
            if graph.ops[source] not in BACK_EDGES:
                begin = self._known(source, results)
                continue
            added = _origin(graph, graph.node(source).inputs[0])
            if added >= 0 and graph.ops[added] in (*_ADDS, "Sub"):
                parts = [_value(results, _origin(graph, one)) for one in graph.node(added).inputs]
                steps = [one for one in parts if isinstance(one, int) and one > 0]
                step = steps[0] if steps else None
        return begin, step


def _value(results: Results, row: int) -> Size | None:
    tensors = results.get(row)
    value = tensors[0].value if tensors else None
    return value[0] if value is not None and len(value) == 1 else None
