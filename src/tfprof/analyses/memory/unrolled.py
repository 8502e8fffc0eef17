"""The ops of a step with every round of its loops, as TensorFlow runs them: side by side.

What a loop keeps of its rounds are references in lists: an element is the buffer that was put in,
and lives as long as a list that has it. A loop of very many rounds is written down with fewer, in
which what is kept counts for more than one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Protocol

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.analyses.inference.order import BACK_EDGES
from tfprof.analyses.inference.sites import Called, Site
from tfprof.analyses.memory.steps import NOTHING, Line, Location, OpOutput, ProgramStep
from tfprof.frozen_dataclass import mutable_dataclass
from tfprof.model.dims import Size, divided
from tfprof.model.graph import Graph
from tfprof.ops.rule import Call, Tensor
from tfprof.wire import dtypes

# a loop is written down with this many ops at most, but with so many rounds at least
_MOST_OPS, _FEWEST_ROUNDS = 6_000, 16
# Rounds that may run at once pile up what waits for one of them that is late: with so many times as
# many, and more ops if need be, as they do in a run
_TURNOVERS, _MOST_OPS_AT_ONCE = 3, 40_000
_MOST_ELEMENTS = 256
# rounds at once, where a loop does not say
_AT_ONCE = 10
_CHOICES = ("If", "StatelessIf", "Case", "StatelessCase")
_ENTERS, _EXITS = ("Enter", "RefEnter"), ("Exit", "RefExit")
_MERGES, _SWITCHES = ("Merge", "RefMerge"), ("Switch", "RefSwitch")


class Filling(Protocol):
    """Who knows what ops take and make."""

    def step(self, op: OpCost, reads: list[Location | None]) -> ProgramStep: ...


@mutable_dataclass
class _Round:
    """A round that is being written: of `rounds` that stand for `trips`."""

    trips: int
    rounds: int
    number: int = 0
    # where the round before began
    since: int = 0
    counted: set[Location] = field(default_factory=set)


class Unrolled:
    """Steps in an order in which inputs come first, and who waits for whom besides."""

    def __init__(self, ops: Sequence[OpCost], graph: Graph, filling: Filling) -> None:
        self.steps: list[ProgramStep] = []
        self.controls: list[tuple[int, int]] = []
        # loops whose rounds nobody knows
        self.open_loops: list[tuple[str, Size]] = []
        self._graph, self._filling = graph, filling
        self._made: dict[int, Location] = {}
        self._wanted: list[tuple[int, int, int]] = []
        self._members: dict[Location, tuple[list[Location], Location | None]] = {}
        self._elements: dict[Location, list[Location]] = {}
        self._stacks: dict[Location, list[tuple[Location, Location]]] = {}
        self._round: _Round | None = None
        # the last step of each op that others wait for without reading it, by site
        waiting = [op.site.after for op in ops if op.site.after]
        self._awaited = {id(one) for after in waiting for one in after}
        self._ends: dict[int, int] = {}
        self._given = ops
        self._outputs_of_rows = _outputs_of_rows(ops, graph)
        self._emit(_outermost(ops), 0)
        self._resolve()
        # of a large graph this is much, and nobody asks any more
        self._made.clear()

    # --- in order

    def _emit(self, ops: Sequence[OpCost], depth: int) -> None:
        frames = _frames(ops, depth)
        if not frames:
            nobody_waits = not self._awaited
            for op in ops:
                if nobody_waits and op.site.called is None:
                    self._plain(op)
                else:
                    self._op(op)
            return
        before, loop, after = _around(ops, depth, frames[0])
        self._emit(before, depth)
        self._early_loop(loop, depth)
        self._emit(after, depth)

    def _op(self, op: OpCost) -> None:
        site, first = op.site, len(self.steps)
        self._expand(op, site.called)
        # in a function: those before it of the same round
        ended = [self._ends.get(id(one)) for one in site.after]
        self.controls += [(one, first) for one in ended if one is not None and one < first]
        if id(site) in self._awaited:
            self._ends[id(site)] = len(self.steps) - 1

    def _expand(self, op: OpCost, called: Called | None) -> None:
        if called is None:
            self._plain(op)
        elif called.carried:
            self._loop(op, called)
        elif op.site.op in _CHOICES:
            self._branch(op, called)
        else:
            self._call(op, called)

    def _plain(self, op: OpCost) -> ProgramStep:
        call, number, made = op.site.call, len(self.steps), self._made
        if len(call.inputs) == 1:
            reads = [made.get(id(call.inputs[0]))]
        else:
            reads = [made.get(id(one)) for one in call.inputs]
        step = self._filling.step(op, reads)
        if self._round is None and None in reads:
            missing = [place for place, read in enumerate(reads) if read is None]
            self._wanted += [(number, place, id(call.inputs[place])) for place in missing]
        self.steps.append(step)
        if call.op in _MAY_STORE:
            self._store(step, number)
        elif op.site.rule is not None and len(call.outputs) == 1:
            made[id(call.outputs[0])] = (number, 0)
            return step
        for port, tensor in enumerate(call.outputs):
            if op.site.rule is None:
                made.setdefault(id(tensor), (number, port))
            else:
                made[id(tensor)] = (len(self.steps) - 1, port)
        return step

    def _resolve(self) -> None:
        """Inputs that are made later in the list than they are read."""
        for number, place, tensor in self._wanted:
            found = self._made.get(tensor)
            if found is not None and self.steps[number].reads[place] is None:
                self.steps[number].reads[place] = found

    def _marker(self, op: OpCost) -> int:
        """A step that allocates nothing and only waits."""
        self.steps.append(ProgramStep(op, is_cheap=True))
        return len(self.steps) - 1

    def _bind(self, tensors: Sequence[Tensor], places: Sequence[Location | None]) -> None:
        for tensor, place in zip(tensors, places, strict=False):
            if place is None:
                self._made.pop(id(tensor), None)
            else:
                self._made[id(tensor)] = place

    def _call(self, op: OpCost, called: Called) -> None:
        """A function begins when all it is given is there, and holds that until it has ended."""
        given = [self._made.get(id(one)) for one in op.site.call.inputs]
        start = self._marker(op)
        self.controls += [(place[0], start) for place in given if place is not None]
        self._emit(self._own(called.body), 0)
        for number in range(start + 1, len(self.steps)):
            if all(read is None or read[0] < start for read in self.steps[number].reads):
                self.controls.append((start, number))
        results = [self._made.get(id(one)) for one in called.results]
        end = self._marker(op)
        step = self.steps[end]
        step.reads = [*results, *given]
        step.outputs = [OpOutput(NOTHING, alias=port) for port in range(len(results))]
        self.controls += [(number, end) for number in range(start, end)]
        self._bind(op.site.call.outputs, [(end, port) for port in range(len(results))])

    def _branch(self, op: OpCost, called: Called) -> None:
        """TensorFlow makes switches of it: each op waits for the choice and for what it reads."""
        start = self._marker(op)
        chosen = self._made.get(id(op.site.call.inputs[0])) if op.site.call.inputs else None
        if chosen is not None:
            self.controls.append((chosen[0], start))
        self._emit(self._own(called.body), 0)
        for number in range(start + 1, len(self.steps)):
            if all(read is None or read[0] < start for read in self.steps[number].reads):
                self.controls.append((start, number))
        last = len(self.steps)
        self._end(op, [self._made.get(id(one)) for one in called.results])
        self.controls += [(number, last) for number in range(start, last)]

    @cached_property
    def _ops(self) -> Mapping[int, OpCost]:
        return {id(op.site): op for op in self._given}

    def _own(self, sites: Iterable[Site]) -> Sequence[OpCost]:
        """The ops of a body without those of what it calls itself."""
        return _outermost([self._ops[id(one)] for one in sites if id(one) in self._ops])

    def _end(self, op: OpCost, places: Sequence[Location | None]) -> None:
        """A loop or a choice allocates no outputs: they are those of its last round or branch."""
        self._bind(op.site.call.outputs, places)
        marker = self._marker(op)
        self.controls += [(place[0], marker) for place in places if place is not None]

    # --- loops of today

    def _loop(self, op: OpCost, called: Called) -> None:
        call = op.site.call
        condition, body = self._own(called.condition), self._own(called.body)
        at_once = _at_once(call)
        places = [self._made.get(id(one)) for one in call.inputs]
        rounds = self._rounds(called.trips, len(called.body), at_once, op.site.name)

        def one_round() -> None:
            nonlocal places
            self._bind(called.carried, places)
            self._emit(body, 0)
            places = [self._made.get(id(one)) for one in called.results]

        def asks() -> None:
            self._bind(called.carried, places)
            self._emit(condition, 0)

        self._rounds_of(op, rounds, at_once, asks, one_round)
        self._end(op, places)

    def _rounds(self, trips: Size | None, ops: int, at_once: int, name: str) -> _Round:
        if not isinstance(trips, int):
            self.open_loops.append((name, 1 if trips is None else trips))
            return _Round(1, 1)
        piling_up = min(_TURNOVERS * at_once, _MOST_OPS_AT_ONCE // max(1, ops))
        most = max(_FEWEST_ROUNDS, _MOST_OPS // max(1, ops), piling_up)
        return _Round(trips, min(trips, most))

    def _rounds_of(
        self,
        op: OpCost,
        state: _Round,
        at_once: int,
        asks: Callable[[], None],
        one_round: Callable[[], None],
    ) -> None:
        """A round begins when its condition holds, and when there are not too many already."""
        outer, self._round = self._round, state
        spans: list[tuple[int, int]] = []
        gate = -1
        for number in range(state.rounds):
            state.number = number
            start = len(self.steps)
            asks()
            waits = range(start, len(self.steps))
            gate, before = self._marker(op), gate
            self.controls += [(one, gate) for one in waits]
            if before >= 0:
                self.controls.append((before, gate))
            if number >= at_once:
                self.controls += [(one, gate) for one in range(*spans[number - at_once])]
            one_round()
            spans.append((gate + 1, len(self.steps)))
            for step in range(*spans[-1]):
                reads = self.steps[step].reads
                if all(read is None or read[0] < start for read in reads):
                    self.controls.append((gate, step))
            state.since = start
        self._round = outer

    # --- loops of the early kind

    def _early_loop(self, ops: Sequence[OpCost], depth: int) -> None:
        enters = [op for op in ops if op.site.op in _ENTERS and len(op.site.loops) == depth + 1]
        exits = [op for op in ops if op.site.op in _EXITS]
        known = {id(one) for one in (*enters, *exits)}
        body = [op for op in ops if id(op) not in known]
        for op in enters:
            self._plain(op)
        merges = [op for op in body if op.site.op in _MERGES and len(op.site.loops) == depth + 1
                  and self._turns(op) is not None]  # fmt: skip
        first = {id(op) for op in merges}
        inner = [op for op in body if id(op) not in first]
        places = [self._made.get(id(_entered(op.site))) for op in merges]
        values = [op.site.call.outputs[:1] for op in merges]
        # an exit of a damaged graph may stand before what it leaves
        inside = next(op for op in ops if len(op.site.loops) > depth)
        trips = divided(inside.site.times, self._outer(inside, depth))
        at_once = _at_once(enters[0].site.call) if enters else _AT_ONCE
        state = self._rounds(trips, len(body), at_once, inside.site.loops[depth])

        def asks() -> None:
            for value, place in zip(values, places, strict=True):
                self._bind(value, [place])

        def one_round() -> None:
            nonlocal places
            self._emit(inner, depth + 1)
            places = [self._made.get(id(self._turns(op))) for op in merges]

        self._rounds_of(inside, state, at_once, asks, one_round)
        for op, place in zip(merges, places, strict=True):
            self._bind(op.site.call.outputs[:1], [place])
        ends = {
            id(op.site.call.outputs[0]): place for op, place in zip(merges, places, strict=True)
        }
        for op in inner:
            if op.site.op in _SWITCHES and op.site.call.inputs:
                place = ends.get(id(op.site.call.inputs[0]))
                self._bind(op.site.call.outputs, [place, place])
        for op in exits:
            self._plain(op)

    def _outer(self, op: OpCost, depth: int) -> Size:
        """How often what is around a loop runs; one that is alone runs once."""
        del op
        return 1 if self._round is None or not depth else self._round.trips

    def _turns(self, op: OpCost) -> Tensor | None:
        """What a round hands to a Merge of the next one."""
        if op.site.name != self._graph.names[op.site.row]:
            return None
        for source in self._graph.node(op.site.row).inputs:
            if source >= 0 and self._graph.ops[source] in BACK_EDGES:
                outputs = self._outputs_of_rows.get(source)
                return outputs[0] if outputs else None
        return None

    # --- lists

    def _store(self, step: ProgramStep, number: int) -> None:
        """What ops of lists do with references."""
        op = step.op.site.call.op
        store = _STORES.get(op)
        if store is not None:
            store(self, step, number)
        elif step.outputs and step.outputs[0].dtype == dtypes.VARIANT:
            self.keep(step, number, tuple(range(len(step.reads))))

    def keep(self, step: ProgramStep, number: int, held: tuple[int, ...], port: int = 0) -> None:
        """An output that is a list of what the step reads at some places."""
        reads = [step.reads[place] for place in held if place < len(step.reads)]
        while len(step.outputs) <= port:
            step.outputs.append(OpOutput(NOTHING))
        extra = self._more(reads[-1]) if reads else NOTHING
        step.outputs[port] = OpOutput(extra, dtype=dtypes.VARIANT, holds=held)
        lists = [read for read in reads[:-1] if read is not None]
        self._members[number, port] = lists, reads[-1] if reads else None

    def _more(self, element: Location | None) -> Line:
        """What an element stands for besides itself, where not every round is written down."""
        state, root = self._round, self.root(element)
        if state is None or root is None or state.trips <= state.rounds:
            return NOTHING
        if root[0] < state.since or root in state.counted:
            return NOTHING
        state.counted.add(root)
        slope, rest = self.steps[root[0]].outputs[root[1]].size
        more = state.trips - state.rounds
        return slope * more // state.rounds, rest * more // state.rounds

    def root(self, place: Location | None) -> Location | None:
        """The output whose buffer it is."""
        while place is not None:
            step = self.steps[place[0]]
            alias = step.outputs[place[1]].alias if place[1] < len(step.outputs) else None
            if alias is None:
                return place
            place = step.reads[alias] if alias < len(step.reads) else None
        return None

    def element(self, place: Location | None) -> Location | None:
        """The element of a list that this round reads: as far on as the round is in its loop."""
        found = self.elements(place)
        if not found:
            return None
        state = self._round
        at = 0 if state is None else state.number * len(found) // max(1, state.rounds)
        return found[min(at, len(found) - 1)]

    def elements(self, place: Location | None) -> list[Location]:
        root = self.root(place)
        if root is None:
            return []
        if root not in self._elements:
            self._elements[root] = self._walked(root)
        return self._elements[root]

    def _walked(self, root: Location) -> list[Location]:
        found: list[Location] = []
        stack: list[Location | None] = [root]
        while stack:
            place = self.root(stack.pop())
            lists, element = self._members.get(place, ([], None)) if place else ([], None)
            if element is not None:
                found.append(element)
            stack += lists
        return found[::-1]

    def last(self, place: Location | None) -> tuple[Location | None, Location | None] | None:
        """A list without its last element, and that element."""
        root = self.root(place)
        if root is None or root not in self._members:
            return None
        lists, element = self._members[root]
        return (lists[0] if lists else None), element

    def push(self, handle: Location | None, kept: Location, element: Location) -> None:
        root = self.root(handle)
        if root is not None:
            self._stacks.setdefault(root, []).append((kept, element))

    def pop(self, handle: Location | None) -> tuple[Location, Location] | None:
        root = self.root(handle)
        found = self._stacks.get(root) if root is not None else None
        return found.pop() if found else None

    def elements_of(self, step: ProgramStep, number: int, whole: Line, count: int) -> None:
        """A list of new buffers: one op makes them, and another the list."""
        parts = min(count, _MOST_ELEMENTS)
        slope, rest = whole
        size = slope // parts, rest // parts
        step.outputs = [OpOutput(size) for _ in range(parts)]
        made: list[Location | None] = [(number, port) for port in range(parts)]
        list_ = ProgramStep(step.op, made, is_cheap=True)
        list_.outputs = [OpOutput(NOTHING, dtype=dtypes.VARIANT, holds=tuple(range(parts)))]
        self.steps.append(list_)
        self._elements[number + 1, 0] = [place for place in made if place is not None]


def _outermost(ops: Sequence[OpCost]) -> Sequence[OpCost]:
    """Without the ops of what others of them call."""
    called = [op.site.called for op in ops if op.site.called is not None]
    if not called:
        return ops
    inside = {id(site) for one in called for site in (*one.condition, *one.body)}
    return [op for op in ops if id(op.site) not in inside]


def _outputs_of_rows(ops: Sequence[OpCost], graph: Graph) -> Mapping[int, Sequence[Tensor]]:
    if not {*BACK_EDGES} & set(graph.ops.table):
        return {}
    return {op.site.row: op.site.call.outputs for op in ops if op.site.op in BACK_EDGES}


def _entered(site: Site) -> Tensor | None:
    return next((one for one in site.call.inputs if one.dtype or one.shape is not None), None)


def _at_once(call: Call) -> int:
    """How many rounds of a loop may run together; a number below one is no answer."""
    said = call.integer("parallel_iterations", _AT_ONCE)
    return said if said > 0 else _AT_ONCE


def _frames(ops: Sequence[OpCost], depth: int) -> list[str]:
    loops = [op.site.loops for op in ops if op.site.loops]
    return list(dict.fromkeys(one[depth] for one in loops if len(one) > depth))


def _around(
    ops: Sequence[OpCost], depth: int, frame: str
) -> tuple[list[OpCost], list[OpCost], list[OpCost]]:
    """What the first loop needs, the loop, and what needs it."""

    def frame_of(op: OpCost) -> str:
        return op.site.loops[depth] if len(op.site.loops) > depth else ""

    needed = _needed(ops, depth, frame)
    leaving = {id(op): one for op, one in _leaving(ops, depth)}
    loop = [op for op in ops if frame_of(op) == frame or leaving.get(id(op)) == frame]
    inside = {id(op) for op in loop}
    before = [op for op in ops if id(op) in needed and id(op) not in inside]
    done = inside | {id(op) for op in before}
    return before, loop, [op for op in ops if id(op) not in done]


def _leaving(ops: Sequence[OpCost], depth: int) -> Iterator[tuple[OpCost, str]]:
    """The exits, and the loops that they leave."""
    made = {id(one): op for op in ops for one in op.site.call.outputs}
    for op in ops:
        if op.site.op in _EXITS and len(op.site.loops) == depth:
            source = made.get(id(op.site.call.inputs[0])) if op.site.call.inputs else None
            if source is not None and len(source.site.loops) > depth:
                yield op, source.site.loops[depth]


def _needed(ops: Sequence[OpCost], depth: int, frame: str) -> set[int]:
    """What does not hang on the loop: what reads nothing of it, directly or through others."""
    tainted: set[int] = set()
    late: set[str] = set()
    leaving = {id(op): one for op, one in _leaving(ops, depth)}
    found: set[int] = set()
    grew = True
    while grew:
        grew = False
        for op in ops:
            name = op.site.loops[depth] if len(op.site.loops) > depth else ""
            if name == frame or id(op) in tainted:
                continue
            if (
                leaving.get(id(op)) == frame
                or (name and name in late)
                or any(id(one) in tainted for one in op.site.call.inputs)
            ):
                tainted |= {id(op), *map(id, op.site.call.outputs)}
                if name and name not in late:
                    late.add(name)
                    grew = True
    for op in ops:
        if id(op) not in tainted:
            found.add(id(op))
    return found


# --- ops of lists


def _kept_at(*held: int) -> Callable[[Unrolled, ProgramStep, int], None]:
    def store(all_: Unrolled, step: ProgramStep, number: int) -> None:
        all_.keep(step, number, held)

    return store


def _pops(all_: Unrolled, step: ProgramStep, number: int) -> None:
    del number
    found = all_.last(_read(step, 0))
    if found is None:
        return
    step.reads += found
    at = len(step.reads)
    step.outputs = [OpOutput(NOTHING, alias=at - 2), OpOutput(NOTHING, alias=at - 1)]


def _read(step: ProgramStep, place: int) -> Location | None:
    """None also where a damaged graph leaves the input out."""
    return step.reads[place] if place < len(step.reads) else None


def _reads_at(place: int) -> Callable[[Unrolled, ProgramStep, int], None]:
    def store(all_: Unrolled, step: ProgramStep, number: int) -> None:
        """An element is handed out as it lies."""
        del number
        found = all_.element(_read(step, place))
        if found is not None:
            step.reads.append(found)
            step.outputs = [OpOutput(NOTHING, alias=len(step.reads) - 1)]

    return store


def _unstacks(all_: Unrolled, step: ProgramStep, number: int) -> None:
    made = step.op.site.call.outputs
    length = made[0].length if made and step.outputs else None
    if isinstance(length, int) and length > 0 and step.outputs[0].size != NOTHING:
        all_.elements_of(step, number, step.outputs[0].size, length)


def _zeros(all_: Unrolled, step: ProgramStep, number: int) -> None:
    """Of a list: a buffer for each of its elements."""
    places = all_.elements(_read(step, 0)) if step.outputs else []
    if not places or step.outputs[0].dtype != dtypes.VARIANT:
        return
    roots = [root for root in map(all_.root, places) if root is not None]
    sizes = [all_.steps[root[0]].outputs[root[1]].size for root in roots]
    all_.elements_of(
        step, number, (sum(a for a, _ in sizes), sum(b for _, b in sizes)), len(places)
    )


def _pushes(all_: Unrolled, step: ProgramStep, number: int) -> None:
    element = _read(step, 1)
    if element is not None:
        all_.keep(step, number, (1,), port=1)
        all_.push(step.reads[0], (number, 1), element)


def _pops_stack(all_: Unrolled, step: ProgramStep, number: int) -> None:
    del number
    found = all_.pop(_read(step, 0))
    if found is not None:
        step.reads += found
        step.outputs = [OpOutput(NOTHING, alias=len(step.reads) - 1)]


_STORES: Mapping[str, Callable[[Unrolled, ProgramStep, int], None]] = {
    "TensorListPushBack": _kept_at(0, 1),
    "TensorListSetItem": _kept_at(0, 2),
    "TensorListPopBack": _pops,
    "TensorListGetItem": _reads_at(0),
    "TensorListFromTensor": _unstacks,
    "TensorArrayWriteV3": _kept_at(3, 2),
    "TensorArrayReadV3": _reads_at(2),
    "TensorArrayScatterV3": _unstacks,
    "ZerosLike": _zeros,
    "StackPushV2": _pushes,
    "StackPush": _pushes,
    "StackPopV2": _pops_stack,
    "StackPop": _pops_stack,
}
# sums of lists are lists
_MAY_STORE = frozenset({*_STORES, "AddN", "Add"})
