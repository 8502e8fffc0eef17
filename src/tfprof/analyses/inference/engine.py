"""Goes through a graph op by op and finds the shape of every tensor.

Four sources, in this order: what the user says, our rules, what TensorFlow wrote into the graph,
what a run met. A dimension that none of them knows stays unknown; it never becomes 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from tfprof.analyses.inference.alike import Alike, Kind, NodeCall, keep_alike, key_of
from tfprof.analyses.inference.believed import believed
from tfprof.analyses.inference.fed_batch import with_fed_batch
from tfprof.analyses.inference.links import Inputs, Results, picked
from tfprof.analyses.inference.live_rows import live_rows
from tfprof.analyses.inference.loops import Frames, joined, loop_trips
from tfprof.analyses.inference.order import in_order
from tfprof.analyses.inference.run_rounds import RunRounds
from tfprof.analyses.inference.sites import Called, Chosen, Given, Inferred, Site
from tfprof.model import dims
from tfprof.model.budget import Budget, OverBudget
from tfprof.model.dims import BATCH, Open, Size, terms_in
from tfprof.model.graph import Function, Graph, as_shape
from tfprof.model.profile import ProfileData
from tfprof.model.remembered import is_kept, remembered
from tfprof.ops.rule import UNKNOWN, Call, Rule, Tensor, rules
from tfprof.ops.run_shapes import RunShapes, completed
from tfprof.ops.shape_tools import merged
from tfprof.wire import dtypes

# deeper nesting than any real model has: a function that calls itself
_DEEPEST = 40
# ops that any graph may run, and for each of its own; a call is as much work as some of them
_LEAST_OPS, _OPS_A_NODE, _STEPS_A_CALL, _TERMS_A_STEP = 200_000, 20, 5, 4
# entries of outputs that are as much work as an op
_ENTRIES_A_STEP = 32
# before this, a placeholder of unknown shape was written as a scalar
_SCALARS_ARE_SCALARS = 24
_CALLS = ("PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall", "RemoteCall")
_CALL_ATTRIBUTE = "f"
_HOLDERS = frozenset({"Variable", "VariableV2", "VarHandleOp"})
_PASS_ON = frozenset({"Identity", "ReadVariableOp"})
_NAMED = 3
_SWITCHES = ("Switch", "RefSwitch")
_NEXT = ("IteratorGetNext", "IteratorGetNextSync", "OptionalGetValue")
_PLACES = "Where"
_DISTINCT = ("Unique", "UniqueWithCounts")
_STORES = ("Stack", "TensorArray")
_MAKES_STORE = ("Stack", "StackV2", "TensorArrayV2", "TensorArrayV3")
_PUTS = {"StackPush": 1, "StackPushV2": 1, "TensorArrayWriteV2": 2, "TensorArrayWriteV3": 2}
_MERGES = ("Merge", "RefMerge", "_SwitchN")
# what comes out of these hangs on more than their inputs
_ADJUSTED = frozenset({*_SWITCHES, *_DISTINCT, *_MERGES, _PLACES})
# and these say which variable that is
_NAMES_VARIABLE = _HOLDERS | _PASS_ON


def infer(
    data: ProfileData, rows: Iterable[int] | None = None, given: Given | None = None
) -> Inferred:
    """Every op of some nodes of the graph, and of the functions they call."""
    if data.graph is None:
        return Inferred([], [])
    given = with_fed_batch(data.graph, given or Given())
    chosen = list(range(len(data.graph))) if rows is None else list(rows)
    return _inferred(data, data.graph, chosen, given)


@remembered(
    lambda data, graph, chosen, given: ((graph, data.declared, data.recorded), (chosen, given)),
    lambda data, graph, *_: data.recorded is None and is_kept(graph),
)
def _inferred(data: ProfileData, graph: Graph, chosen: list[int], given: Given) -> Inferred:
    engine = _Engine(data, given)
    engine.run(graph, chosen, (), "", 1, engine.sites)
    if engine.stored:
        # what a loop stores may have been asked for before it was seen
        again = _Engine(data, given, engine.stored)
        again.run(graph, chosen, (), "", 1, again.sites)
        engine = again
    return Inferred(engine.sites, engine.all_notes(), engine.cut, not engine.is_fed_batches)


class _Engine:
    def __init__(
        self, data: ProfileData, given: Given, stored: Mapping[str, Tensor] | None = None
    ) -> None:
        self._declared = data.declared.variables
        self._main: Sequence[str] = data.graph.names if data.graph is not None else ()
        self._given = given
        self._producer = data.graph.producer if data.graph is not None else 0
        run = data.recorded
        self._met = RunShapes(run) if run is not None else None
        self._rounds = RunRounds(run) if run is not None else None
        self._rules = rules()
        self._loops = 0
        self._depth = 0
        self._batch_given = BATCH in given.sizes
        self._fed_with: dict[str, list[str]] = {}
        self._assumed: dict[str, bool] = {}
        self._budget = Budget(_LEAST_OPS, _OPS_A_NODE)
        self._alike: dict[Kind | None, Alike] = {}
        self._layouts: dict[int, _Layout] = {}
        self._lives: dict[str, list[int]] = {}
        self._distinct: list[str] = []
        # by how many are taken to be chosen: the ops that choose
        self._chosen: dict[str, list[str]] = {}
        # branches around an op that nothing tells to be taken
        self._undecided = 0
        # what stacks and arrays of the early kind hold, by the op that makes them
        self.stored: dict[str, Tensor] = dict(stored or {})
        self.sites: list[Site] = []
        self.notes: list[str] = []
        self.cut = ""
        self._special: Mapping[str, _Handler] = {
            "Placeholder": self._placeholder,
            "PlaceholderV2": self._placeholder,
            "PlaceholderWithDefault": self._placeholder,
            **dict.fromkeys(_NEXT, self._next),
            "While": self._while,
            "StatelessWhile": self._while,
            "If": self._branch,
            "StatelessIf": self._branch,
            "Case": self._branch,
            "StatelessCase": self._branch,
            **dict.fromkeys(_CALLS, self._called),
            "ReduceDataset": self._for_each_element,
        }

    @property
    def is_fed_batches(self) -> bool:
        return BATCH in self._fed_with

    def all_notes(self) -> list[str]:
        """What was assumed, and what was said for nothing."""
        found = list(self.notes)
        if self._assumed:
            truth = "true" if self._given.truth else "false"
            found.append(f"taken as {truth}, since nothing tells: {_named_few(self._assumed)}")
        if self._distinct:
            found.append(f"all values are taken to be different in {_named_few(self._distinct)}")
        for told, names in self._chosen.items():
            found.append(f"{told} taken to be chosen by {_named_few(names)}")
        for letter, names in self._fed_with.items():
            if letter != BATCH and len(set(names)) > 1:
                found.append(f"{letter} is taken to be the same in {_named_few(names)}")
        for letter in self._given.sizes:
            if letter not in self._fed_with:
                what = "the batch is fixed here" if letter == BATCH else f"no open size is {letter}"
                found.append(f"{what}: the size given for it changes nothing")
        return found

    def run(
        self,
        graph: Graph,
        rows: Sequence[int],
        arguments: Sequence[Tensor],
        prefix: str,
        times: Size,
        sites: list[Site],
        row_outside: int | None = None,
    ) -> Results:
        """The tensors of each node; what runs is added to `sites`."""
        layout = self._layout(graph, rows)
        results: Results = {row: [tensor] for row, tensor in enumerate(arguments)}
        inputs_of, names, table, codes = layout.inputs, layout.names, layout.table, layout.codes
        frames, attributes = Frames(graph), graph.attributes
        first_site = len(sites)
        # the edges of the main graph are there for whoever needs them
        placed: dict[int, Site] | None = {} if layout.waits and row_outside is not None else None
        given, is_main, has_frames = len(arguments), row_outside is None, frames.has_any
        is_plain, names_variable, budget = layout.is_plain, layout.names_variable, self._budget
        for row in layout.order:
            if row < given:
                continue
            if not is_main and budget.is_over:
                # what is called is left out, what stands in the graph itself is not
                raise OverBudget(f"after {budget.spent:,} steps through functions")
            code = codes[row]
            op = table[code]
            inputs = inputs_of.tensors(row, results)
            call = NodeCall(prefix + names[row], op, inputs, attributes, row)
            if _has_dead(inputs) and op not in _MERGES:
                results[row] = [Tensor(dead=True)] * _MOST_OUTPUTS
                continue
            frame = frames.enter(row, op, call, inputs_of.sources(row)) if has_frames else ()
            rule = layout.rules[code]
            site = Site(call, rule, row if row_outside is None else row_outside, times)
            mark = len(sites)
            if rule is not None and is_plain[code] and (inputs or names_variable[code]):
                outputs = self._plain(call, rule, is_main=is_main)
                if names_variable[code]:
                    outputs = _of_variable(outputs, call)
            else:
                outputs = self._believed(self._outputs(_Scene(graph, sites, site, times)))
                outputs = self._adjusted(outputs, call, inputs_of, row)
            call.outputs = results[row] = outputs
            sites.append(site)
            if placed is not None:
                placed[row] = site
            if frame:
                for inner in sites[mark:]:
                    inner.frame = frame

        _let_wait(placed or {}, layout.waits)
        if frames.has_any:
            self._count_rounds(sites[first_site:], frames, results, prefix)
        return results

    def _count_rounds(
        self, sites: Iterable[Site], frames: Frames, results: Results, prefix: str
    ) -> None:
        """How often what stands in a loop of the early kind runs, now that all of it is known."""

        def open_loop(name: str, loop: str) -> Size:
            return self._open_loop(name, prefix + loop)

        for site in sites:
            if site.frame:
                try:
                    site.times = site.times * frames.times(site.frame, results, open_loop)
                except OverBudget as fault:
                    site.cut = self.cut = f"how often {site.name} runs is not known: {fault}"
                site.loops, site.frame = (*site.frame, *site.loops), ()

    def _plain(self, call: Call, rule: Rule, *, is_main: bool) -> list[Tensor]:
        """What its rule alone tells. A function is small, and its nodes are read one by one."""
        key = key_of(call) if is_main else None
        known = self._alike.get(key)
        if known is not None:
            self._budget.take(known.steps)
            call.alike = known
            return known.made()
        before = self._budget.spent
        outputs = self._believed(self._told(call, rule.infer(call)))
        if key is not None:
            keep_alike(self._alike, key, call, outputs, self._budget.spent - before)
        return outputs

    def _layout(self, graph: Graph, rows: Sequence[int]) -> _Layout:
        """Made once: a function runs whole, wherever it is called."""
        found = self._layouts.get(id(graph))
        if found is None:
            self._budget.add(len(graph))
            table = list(graph.ops.table)
            found = self._layouts[id(graph)] = _Layout(
                in_order(graph, rows),
                Inputs(graph, self._rules),
                graph.names.tolist(),
                table,
                graph.ops.codes.tolist(),
                [self._rules.get(op) for op in table],
                [self._is_plain(op, graph) for op in table],
                [op in _NAMES_VARIABLE for op in table],
                _waits(graph),
            )
        return found

    def _is_plain(self, op: str, graph: Graph) -> bool:
        """Whether its rule alone tells what such an op makes of inputs."""
        if op not in self._rules or op in self._special or op in graph.functions:
            return False
        return not op.startswith(_STORES) and op not in _ADJUSTED

    def _believed(self, outputs: list[Tensor]) -> list[Tensor]:
        """As far as there can be such tensors; past the budget, no entries of them are kept."""
        entries = 0
        for place, tensor in enumerate(outputs):
            found = believed(tensor, keeps_value=not self._budget.is_over)
            if found is not tensor:
                outputs[place] = found
            entries += len(found.value or ())
        self._budget.take(1 + (len(outputs) + entries) // _ENTRIES_A_STEP)
        return outputs

    def _adjusted(
        self, outputs: list[Tensor], call: Call, inputs_of: Inputs, row: int
    ) -> list[Tensor]:
        """What a rule cannot see: where a loop leads back, which variable a value is from."""
        op, inputs = call.op, call.inputs
        if op in _SWITCHES and not inputs_of.ends_a_loop(row):
            outputs = self._switched(inputs_of.origin(row, 1), outputs)
        if op in _MERGES and inputs_of.turns_back(row):
            outputs = [replace(tensor, value=None) for tensor in outputs]  # changes each round
        if op in _NAMES_VARIABLE:
            return _of_variable(outputs, call)
        if outputs and outputs[0].dtype == dtypes.RESOURCE and not inputs:
            return [replace(tensor, variable=call.name) for tensor in outputs]
        if not outputs and op not in self._rules:
            return [Tensor()]  # something comes out, and nothing is known of it
        return outputs

    def _outputs(self, scene: _Scene) -> list[Tensor]:
        call, rule = scene.site.call, scene.site.rule
        special = self._special.get(call.op)
        if special is None and call.op in scene.graph.functions:
            special = self._called
        if special is not None:
            found = self._expanded(special, scene)
        elif call.op.startswith(_STORES):
            found = self._storing(call, rule)
        else:
            found = rule.infer(call) if rule is not None else []
        if self._given.at_most and found:
            found = self._at_most(call, found)
        return self._told(call, found)

    def _told(self, call: Call, found: list[Tensor]) -> list[Tensor]:
        """What a rule found, with what else is known of what it left open."""
        if not found or True in [_is_open(tensor.shape) for tensor in found]:
            return self._completed(call, found)
        return found

    def _expanded(self, special: _Handler, scene: _Scene) -> list[Tensor]:
        try:
            return special(scene)
        except OverBudget as fault:
            self._leave_out(scene.site, str(fault))
            return []

    def _leave_out(self, site: Site, why: str) -> None:
        """What a call runs is not all there: neither its cost nor that of the graph is known."""
        site.cut = f"{self._main[site.row]} is cut {why}"
        self.cut = self.cut or site.cut

    def _at_most(self, call: Call, found: list[Tensor]) -> list[Tensor]:
        """There are at most as many different values as values, and as many places as there are."""
        if call.op in _DISTINCT:
            self._distinct.append(call.name)
            return [replace(one, shape=merged(one.shape, call.input(0))) for one in found]
        given = call.input(0) if call.op == _PLACES and call.inputs else None
        whole = dims.elements(given)
        if whole is None or given is None:
            return found
        chosen = self._share_of(whole)
        self._chosen.setdefault(_share_told(chosen, whole), []).append(call.name)
        return [replace(one, shape=(chosen, len(given))) for one in found]

    def _share_of(self, whole: Size) -> Size:
        """Of what the data may choose."""
        share = self._given.chosen
        if share == Chosen.NONE or (share == Chosen.SOME and self._undecided):
            return 0
        half = (whole + 1) // 2 if isinstance(whole, int) else dims.divided(whole, 2)
        return half if share == Chosen.SOME and half is not None else whole

    def _storing(self, call: Call, rule: Rule | None) -> list[Tensor]:
        """Stacks and arrays are handles: what one op stores is known where another asks for it."""
        name = call.inputs[0].variable if call.inputs else ""
        known = self.stored.get(name)
        if call.op.startswith("TensorArray") and known is not None:
            first = call.inputs[0]
            held = replace(first.holds or known, shape=known.shape)
            call.inputs = [replace(first, holds=held), *call.inputs[1:]]
        found = rule.infer(call) if rule is not None else []
        if call.op in _MAKES_STORE:
            return [replace(one, variable=call.name) for one in found]
        if call.op.startswith("TensorArrayGrad"):
            if known is not None:
                self.stored[call.name] = known
            return [replace(one, variable=call.name) for one in found]
        place = _PUTS.get(call.op)
        if place is not None and name and place < len(call.inputs):
            self.stored[name] = replace(call.inputs[place], holds=None, length=None)
        if call.op.startswith("StackPop") and known is not None:
            return [replace(known)]
        return found

    def _completed(self, call: Call, found: list[Tensor]) -> list[Tensor]:
        """With what TensorFlow wrote down, and what a run met."""
        stated = _written_down(call)
        count = max(len(found), len(stated))
        told = []
        for port in range(count):
            tensor = found[port] if port < len(found) else Tensor(dtype=call.dtype("T"))
            shape = merged(tensor.shape, stated[port] if port < len(stated) else None)
            if self._met is not None and not self._batch_given and _is_open(shape):
                shape = completed(shape, self._met.of(call.name, port))
            told.append(replace(tensor, shape=shape) if shape != tensor.shape else tensor)
        return told

    def _switched(self, predicate: str, outputs: list[Tensor]) -> list[Tensor]:
        """One way only: false is the first output, true the second."""
        if len(outputs) != 2 or any(tensor.dead for tensor in outputs):
            return outputs
        taken = self._given.truth
        self._assumed.setdefault(predicate, taken)
        dead = Tensor(dead=True)
        return [dead, outputs[1]] if taken else [outputs[0], dead]

    # --- what is fed

    def _placeholder(self, scene: _Scene) -> list[Tensor]:
        call = scene.site.call
        dtype = call.dtype("dtype")
        if dtype in (dtypes.RESOURCE, dtypes.VARIANT):
            variable = self._declared.get(call.name)
            if variable is None:
                return [Tensor((), dtype)]
            return [Tensor((), dtype, holds=Tensor(variable.shape, variable.dtype))]
        known = self._fed(call)
        shape = call.stated()
        if shape == () and self._producer < _SCALARS_ARE_SCALARS:
            shape = None
        if call.op == "PlaceholderWithDefault":
            shape = merged(shape, call.input(0))
        shape = merged(merged(known, shape), next(iter(_written_down(call)), None))
        return [Tensor(self._named(self._met_with(call, 0, shape), call.name), dtype)]

    def _next(self, scene: _Scene) -> list[Tensor]:
        """What tf.data hands over is fed as well, with a batch that may be open."""
        call, rule = scene.site.call, scene.site.rule
        found = rule.infer(call) if rule is not None else []
        return [
            replace(one, shape=self._named(self._met_with(call, port, one.shape), call.name))
            for port, one in enumerate(found)
        ]

    def _met_with(self, call: Call, port: int, shape: Open) -> Open:
        """With the sizes that a run met."""
        if self._met is None or not _is_open(shape):
            return shape
        met = self._met.of(call.name, port)
        if met and self._batch_given:
            met = (None, *met[1:])  # the run had another batch
        return completed(shape, met)

    def _fed(self, call: Call) -> Open:
        return self._given.feeds.get(call.name)

    def _named(self, shape: Open, name: str) -> Open:
        """Open dimensions get a letter: B the first, then by place; with sizes the user gave."""
        if shape is None:
            return None
        letters = dims.letters_of(len(shape))
        found = []
        for place, size in enumerate(shape):
            if size is None:
                size = dims.symbol(letters[place])  # noqa: PLW2901
            for letter in dims.symbols(size):
                self._fed_with.setdefault(letter, []).append(name)
            found.append(dims.at(size, self._given.sizes))
        return tuple(found)

    def _for_each_element(self, scene: _Scene) -> list[Tensor]:
        """A loop over a dataset inside a function: the graph does not tell how often it runs."""
        site, unknown = scene.site, "how often is not known before it runs"
        site.cut = f"{self._main[site.row]} loops over a dataset, and {unknown}"
        self.cut = self.cut or site.cut
        return site.rule.infer(site.call) if site.rule is not None else []

    # --- calls

    def _called(self, scene: _Scene) -> list[Tensor]:
        function = scene.function(_CALL_ATTRIBUTE)
        if function is None:
            return []
        inside: list[Site] = []
        found = self._inside(scene, function, scene.site.call.inputs, scene.times, inside)
        scene.sites += inside
        scene.site.called = Called(found, body=inside)
        return found

    def _inside(
        self,
        scene: _Scene,
        function: Function,
        arguments: Sequence[Tensor],
        times: Size,
        sites: list[Site],
    ) -> list[Tensor]:
        """The results of a function for these arguments."""
        tensors, results = self._body(scene, function, arguments, times, sites)
        return [picked(function.body, where, tensors, self._rules) for where in results]

    def _body(
        self,
        scene: _Scene,
        function: Function,
        arguments: Sequence[Tensor],
        times: Size,
        sites: list[Site],
    ) -> tuple[Results, list[str]]:
        if self._depth >= _DEEPEST:
            raise OverBudget(f"where functions call each other over {_DEEPEST} deep")
        # loops in loops of unknown rounds: all that is counted inside is counted in each term
        if not self._budget.take(_STEPS_A_CALL * (1 + terms_in(times) // _TERMS_A_STEP)):
            raise OverBudget(f"after {self._budget.spent:,} steps through functions")
        self._depth += 1
        body = function.body
        typed = _typed(function, arguments)
        prefix = scene.site.call.name + "/"
        rows = self._live(function)
        try:
            results = self.run(body, rows, typed, prefix, times, sites, scene.site.row)
        finally:
            self._depth -= 1
        return results, list(function.results.values())

    def _live(self, function: Function) -> list[int]:
        """The rows of a body that run, found once a function."""
        if function.name not in self._lives:
            self._lives[function.name] = live_rows(function)
        return self._lives[function.name]

    def _while(self, scene: _Scene) -> list[Tensor]:
        """The body twice: once to see what changes from round to round, then for good."""
        call = scene.site.call
        body, condition = scene.function("body"), scene.function("cond")
        if body is None or condition is None:
            return []
        start = list(call.inputs)
        once = self._inside(scene, body, start, scene.times, [])
        joint = [joined(before, after) for before, after in zip(start, once, strict=False)]
        carried = _typed(body, joint)
        trips = loop_trips(start, condition, body)
        if trips is None:
            trips = self._open_loop(call.name, call.name)
        asked: list[Site] = []
        inside: list[Site] = []
        self._inside(scene, condition, carried, scene.times * (trips + 1), asked)
        ended = self._inside(scene, body, carried, scene.times * trips, inside)
        scene.sites += [*asked, *inside]
        scene.site.called = Called(ended, carried, trips, asked, inside)
        return [
            joined(before, after, first=one, step=two, trips=trips)
            for before, after, one, two in zip(carried, ended, start, once, strict=False)
        ]

    def _open_loop(self, name: str, loop: str) -> Size:
        """How often a loop runs that does not say: as in the run, else a symbol."""
        self._loops += 1
        letter = "T" if self._loops == 1 else f"T{self._loops}"
        self._fed_with.setdefault(letter, []).append(name)
        ran = self._rounds.of(loop) if self._rounds is not None else None
        if ran is not None and letter not in self._given.sizes:
            self.notes.append(f"the loop {name} went {ran:,} times in the run: {letter} = {ran:,}")
            return ran
        size = dims.at(dims.symbol(letter), self._given.sizes)
        if not isinstance(size, int):
            self.notes.append(f"how often the loop {name} runs is open: --dim {letter}=N says it")
        return size

    def _branch(self, scene: _Scene) -> list[Tensor]:
        """The branch that the predicate picks; where that is open, the one with more work."""
        call = scene.site.call
        branches = scene.branches()
        if not branches:
            return []
        picked = call.scalar(0)
        if isinstance(picked, int):
            place = (0 if picked else 1) if len(call.op) and "If" in call.op else picked
            place = place if 0 <= place < len(branches) else len(branches) - 1
            inside: list[Site] = []
            found = self._inside(scene, branches[place], call.inputs[1:], scene.times, inside)
            scene.sites.extend(inside)
            scene.site.called = Called(found, body=inside)
            return found
        tried: list[tuple[int, int, list[Site], list[Tensor]]] = []
        self._undecided += 1
        try:
            for branch in branches:
                sites: list[Site] = []
                found = self._inside(scene, branch, call.inputs[1:], scene.times, sites)
                tried.append((_weight(sites), -len(tried), sites, found))
        finally:
            self._undecided -= 1
        _, _, sites, found = max(tried, key=lambda one: one[:2])
        scene.sites.extend(sites)
        scene.site.called = Called(found, body=sites)
        self.notes.append(f"{call.name}: of its branches the one with the most work is counted")
        others = [outputs for _, _, _, outputs in tried]
        return [_alike(tensors) for tensors in zip(*others, strict=False)] or found


def _share_told(chosen: Size, whole: Size) -> str:
    if chosen == whole:
        return "all places are"
    return "half of the places are" if chosen else "no place is"


class _Layout(NamedTuple):
    """A graph as plain lists, and the order its nodes are looked at in."""

    order: list[int]
    inputs: Inputs
    names: list[str]
    # by op type, of which each node has the code
    table: list[str]
    codes: list[int]
    rules: list[Rule | None]
    is_plain: list[bool]
    names_variable: list[bool]
    # who waits for whom without reading it: the first before the second
    waits: list[tuple[int, int]]


def _has_dead(tensors: Sequence[Tensor]) -> bool:
    if len(tensors) == 1:
        return tensors[0].dead
    return True in [tensor.dead for tensor in tensors]


def _of_variable(outputs: list[Tensor], call: Call) -> list[Tensor]:
    """What holds a variable, and what is read from it, has its name."""
    if call.op in _HOLDERS:
        return [replace(tensor, variable=call.name) for tensor in outputs]
    name = call.inputs[0].variable if call.inputs and outputs else ""
    if not name or outputs[0].variable == name:
        return outputs
    return [replace(outputs[0], variable=name), *outputs[1:]]


def _let_wait(sites: Mapping[int, Site], waits: Iterable[tuple[int, int]]) -> None:
    for before, after in waits if sites else ():
        if before in sites and after in sites:
            sites[after].after += (sites[before],)


def _waits(graph: Graph) -> list[tuple[int, int]]:
    edges = graph.edges
    waiting = ((edges.port < 0) & (edges.node >= 0)).nonzero()[0]
    if not len(waiting):
        return []
    return list(zip(edges.node[waiting].tolist(), edges.reader[waiting].tolist(), strict=True))


def _typed(function: Function, arguments: Sequence[Tensor]) -> list[Tensor]:
    """As many as the function takes, of the types that it says."""
    padded = [*arguments, *[UNKNOWN] * len(function.arguments)][: len(function.arguments)]
    return [
        tensor if tensor.dtype else replace(tensor, dtype=argument.dtype)
        for tensor, argument in zip(padded, function.arguments, strict=True)
    ]


class _Scene:
    """An op while its outputs are found: where it stands and where its sites go."""

    __slots__ = ("graph", "site", "sites", "times")

    def __init__(self, graph: Graph, sites: list[Site], site: Site, times: Size) -> None:
        self.graph, self.sites, self.site, self.times = graph, sites, site, times

    def function(self, attribute: str) -> Function | None:
        call = self.site.call
        if call.op in self.graph.functions:
            return self.graph.functions[call.op]
        value = call.attributes.get(attribute)
        return None if value is None else self.graph.functions.get(value.func.name)

    def branches(self) -> list[Function]:
        attributes = self.site.call.attributes
        if "branches" in attributes:
            named = [one.name for one in attributes["branches"].list.func]
        else:
            keys = [key for key in ("then_branch", "else_branch") if key in attributes]
            named = [attributes[key].func.name for key in keys]
        functions = self.graph.functions
        return [functions[name] for name in named if name in functions]


_Handler = Callable[[_Scene], list[Tensor]]
_MOST_OUTPUTS = 8


def _named_few(names: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(names))
    more = f" and {len(distinct) - _NAMED:,} more" if len(distinct) > _NAMED else ""
    return ", ".join(distinct[:_NAMED]) + more


def _written_down(call: Call) -> list[Open]:
    """The shapes that TensorFlow wrote into the graph."""
    value = call.attributes.get("_output_shapes")
    return [] if value is None else [as_shape(shape) for shape in value.list.shape]


def _is_open(shape: Open) -> bool:
    return shape is None or None in shape


def _alike(tensors: Sequence[Tensor]) -> Tensor:
    """What is true of all branches."""
    result = tensors[0]
    for other in tensors[1:]:
        result = joined(result, other)
    return result


def _weight(sites: Sequence[Site]) -> int:
    """The work of a branch, with open sizes taken as large, to tell which one has more."""
    total = 0
    for site in sites:
        count = site.rule.macs(site.call) if site.rule and site.rule.macs else None
        size = count * site.times if count is not None else 0
        known = dict.fromkeys(dims.symbols(size), 64)
        value = dims.at(size, known)
        total += value if isinstance(value, int) else 0
    return total * 1000 + len(sites)
