"""Recurrent layers: one step of the cell, in a loop over the steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.keras_layers import image_cells  # noqa: F401  (registers them)
from tfprof.keras_layers.cells import Masks, Stepped, cell_of, entry_of
from tfprof.keras_layers.convolutions import rank_of
from tfprof.keras_layers.dropping import dropped
from tfprof.keras_layers.layer import (
    SCALAR,
    Config,
    Layer,
    LayerLoop,
    LayerOp,
    Sizes,
    number,
    numbers,
    shape_of,
)
from tfprof.keras_layers.rule import Made, layer
from tfprof.keras_layers.sizes import Unknown, tensors
from tfprof.model.dims import Size
from tfprof.ops.rule import BOOL, INT32, Tensor
from tfprof.wire import dtypes

_LOOP, _READ = "While", ("VarHandleOp", "ReadVariableOp")
# steps that Keras was told to write out one by one; more of them are written as a loop
_MOST_UNROLLED = 256
# rounds that Keras lets run side by side
_AT_ONCE = 32
_COUNTER = Tensor((), INT32)
_STACK = "StackedRNNCells"
_ARGUMENTS = ("sequences", "sequence", "inputs", "initial_state", "states")


@layer("LSTM GRU SimpleRNN CuDNNLSTM CuDNNGRU")
def _recurrent(call: Layer) -> Made:
    return _run(call, [_Named(call.class_name, call.config)])


@layer("RNN")
def _rnn(call: Layer) -> Made:
    name, config = entry_of(call, call.config.get("cell"))
    cells = _stacked(call, config) if name == _STACK else [_Named(name, config)]
    return _run(call, cells)


@layer("ConvLSTM1D ConvLSTM2D ConvLSTM3D")
def _over_images(call: Layer) -> Made:
    return _run(call, [_Named(call.class_name, call.config)], rank_of(call) + 3)


def _run(call: Layer, cells: Sequence[_Named], dimensions: int = 3) -> Made:
    if len(call.shape) != dimensions:
        raise Unknown(f"{call.class_name} is called with {len(call.shape)} dimensions")
    return _Run(call, cells).outputs()


@layer("LSTMCell GRUCell SimpleRNNCell StackedRNNCells")
def _single(call: Layer) -> Made:
    """A cell called by itself: one step, the states behind the output."""
    is_stack = call.class_name == _STACK
    named = _stacked(call, call.config) if is_stack else [_Named(call.class_name, call.config)]
    cells = _Cells(call, named)
    before = cells.start(call.x, _given(call))
    output, states = cells.step(call.x, before, cells.masks(call.x, before))
    return [output, *states]


def _given(call: Layer) -> list[Tensor]:
    """The states that a call begins with; they come behind the sequence, or by name."""
    named = [one for name, one in call.kwargs.items() if name in _ARGUMENTS]
    return tensors([*call.args, *named])[1:]


# --- cells, each on what the last one makes


@frozen_dataclass
class _Named:
    """Class and config of a cell; its variables are under `within`."""

    class_name: str
    config: Config
    within: str = ""


def _stacked(call: Layer, config: Config) -> list[_Named]:
    listed = config.get("cells")
    entries = [entry_of(call, one) for one in (listed if isinstance(listed, list) else [])]
    if not entries:
        raise Unknown("StackedRNNCells holds no cells")
    frozen = {} if config.get("trainable", True) else {"trainable": False}
    return [
        _Named(name, {**one, **frozen}, f"cells/{place}/")
        for place, (name, one) in enumerate(entries)
    ]


class _Cells:
    """One step of all of them, in the layer that they are called in."""

    def __init__(self, call: Layer, named: Sequence[_Named]) -> None:
        self._call, self._named = call, named
        self._cells = [cell_of(one.class_name) for one in named]

    def start(self, x: Tensor, given: Sequence[Tensor]) -> list[Tensor]:
        """The states before the first step: those that are given, else zeros."""
        parts = [self._at(place, x) for place in range(len(self._cells))]
        needed = [
            (part, (shape_of(x)[0], *sizes))
            for part, cell in zip(parts, self._cells, strict=True)
            for sizes in cell.states(part)
        ]
        if len(given) == len(needed):
            return list(given)
        if isinstance(shape_of(x)[0], int):
            made = [
                part.ops("Const", outputs=[Tensor(shape, part.dtype)]) for part, shape in needed
            ]
            return [one for (one,) in made]
        batch = _batch(self._call)
        return [_zeros(part, batch, shape) for part, shape in needed]

    def masks(self, x: Tensor, states: Sequence[Tensor]) -> list[Masks]:
        """What is dropped of each cell's input and of its state, in training."""
        found, left = [], list(states)
        for place, cell in enumerate(self._cells):
            part = self._at(place, x)
            count = len(cell.states(part))
            each = cell.masks(part)
            rates = part.config.get("dropout"), part.config.get("recurrent_dropout")
            of = [_masks(part, *pair, each) for pair in zip((x, left[0]), rates, strict=True)]
            found.append(Masks(*of))
            x, left = left[0], left[count:]
        return found

    def step(self, x: Tensor, states: Sequence[Tensor], masks: Sequence[Masks]) -> Stepped:
        left, made = list(states), list[Tensor]()
        for place, (cell, own) in enumerate(zip(self._cells, masks, strict=True)):
            part = self._at(place, x)
            count = len(cell.states(part))
            x, new = cell.step(part, left[:count], own)
            left, made = left[count:], made + new
        return x, made

    def _at(self, place: int, x: Tensor) -> Layer:
        """A cell as a layer that is called with one step."""
        one = self._named[place]
        return self._call.part(one.class_name, one.config, x, within=one.within)


def _batch(call: Layer) -> Tensor:
    """The number of samples, which is known when the input is."""
    sizes = call.op("Shape", call.x, dtype=INT32)
    corners = (numbers(0),) * 3
    return call.op("StridedSlice", sizes, *corners, shape=())


def _zeros(cell: Layer, batch: Tensor, shape: Sizes) -> Tensor:
    sizes = cell.op("Pack", batch, *(number(size) for size in shape[1:]), shape=(len(shape),))
    return cell.op("Fill", sizes, SCALAR, shape=shape, dtype=cell.dtype)


def _masks(cell: Layer, x: Tensor, rate: object, count: int) -> list[Tensor]:
    if not cell.training or not rate:
        return []
    ones = cell.op("OnesLike", x)
    return [dropped(cell, ones, rate) for _ in range(count)]


# --- over a sequence


class _Run:
    """All steps of the cells."""

    def __init__(self, call: Layer, named: Sequence[_Named]) -> None:
        self._call, self._cells = call, _Cells(call, named)
        self._batch, self._steps, *self._rest = call.shape
        self._all = call.flag("return_sequences")

    def outputs(self) -> list[Tensor]:
        call = self._call
        first = Tensor((self._batch, *self._rest), call.x.dtype)
        steps = self._steps if call.flag("unroll") else 0
        if isinstance(steps, int) and 0 < steps <= _MOST_UNROLLED:
            states = self._cells.start(first, _given(call))
            masks = self._cells.masks(first, states)
            x = call.transposed(call.x, 1, 0, *range(2, len(call.shape)))
            made, states = self._unrolled(x, steps, states, masks, self._steps_there())
        else:
            # the sequence is apart before the states are there: they wait for its size
            x = call.transposed(call.x, 1, 0, *range(2, len(call.shape)))
            there, listed = self._steps_there(), self._listed(x)
            states = self._cells.start(first, _given(call))
            masks = self._cells.masks(first, states)
            made, states = self._looped(x, listed, states, masks, there)
        handed = [call.op("Identity", one) for one in states if call.flag("return_state")]
        return [self._handed_out(made), *handed]

    def _steps_there(self) -> Tensor | None:
        """The mask of the steps, first the steps, as it is read in each."""
        call, mask = self._call, self._call.mask
        if mask is None:
            return None
        if mask.dtype != BOOL:
            mask = call.op("Cast", mask, dtype=BOOL)
        wide = call.op("ExpandDims", mask, number(-1), shape=(*shape_of(mask), 1))
        return call.transposed(wide, 1, 0, 2)

    def _handed_out(self, made: Tensor) -> Tensor:
        """The steps come first while they are made."""
        sizes = shape_of(made)
        if self._all:
            return self._call.transposed(made, 1, 0, *range(2, len(sizes)))
        corners = (numbers(0),) * 3
        return self._call.op("StridedSlice", made, *corners, shape=sizes[1:])

    def _unrolled(
        self,
        x: Tensor,
        steps: int,
        states: list[Tensor],
        masks: Sequence[Masks],
        there: Tensor | None,
    ) -> Stepped:
        """Written out, as Keras does if it is told to."""
        call, made = self._call, list[Tensor]()
        each = [Tensor(shape_of(x)[1:], x.dtype) for _ in range(steps)]
        for place, one in enumerate(call.ops("Unpack", x, outputs=each)):
            before = states
            with once(call, counted=not place):
                output, states = self._cells.step(one, before, masks)
            if there is not None:
                step = call.op("Identity", there, shape=shape_of(there)[1:])
                last = made[-1] if made else call.op("ZerosLike", output)
                output, *states = self._kept(step, [output, *states], [last, *before])
            made = [*made, output] if self._all else [output]
        return call.op("Pack", *made, shape=(len(made), *shape_of(made[0]))), states

    def _looped(
        self,
        x: Tensor,
        inputs: Tensor,
        states: list[Tensor],
        masks: Sequence[Masks],
        there: Tensor | None,
    ) -> Stepped:
        call, steps = self._call, self._steps
        first = [] if there is None else [self._nothing_yet(x, states, masks)]
        steps_there = [] if there is None else [self._listed(there)]
        # the tensors of a round are others than those that the loop begins and ends with
        counters = _COUNTER, self._length(x), _COUNTER
        outside = counters, [inputs, *steps_there], states, first
        inside = _Carried(*([replace(one) for one in part] for part in outside))
        mark = len(call.sheet.ops)
        with call.inside(_LOOP, steps + 1):
            self._goes_on(inside.counters)
        condition = call.sheet.ops[mark:]
        with call.inside(_LOOP, steps):
            output, after = self._round(inside, masks)
        body = [op for op in call.sheet.ops[mark + len(condition) :] if op.call.op != _READ[0]]
        # variables are there before anything else
        call.sheet.ops[mark:] = sorted(
            call.sheet.ops[mark:], key=lambda op: op.call.op not in _READ
        )
        length: Size = steps if self._all else 1
        element = numbers(*shape_of(output))
        listed = _list(shape_of(output), output.dtype, length)
        call.ops("TensorListReserve", element, number(length), outputs=[listed])
        seen = [mask for one in masks for mask in (*one.of_input, *one.of_state)]
        handles = _handles(call, mark)
        given = [*counters, listed, *states, *first, inputs, *steps_there, *handles, *seen]
        # all that goes round comes out again
        outputs = [replace(one) for one in given]
        ended = call.ops(_LOOP, *given, outputs=outputs, parallel_iterations=_AT_ONCE)
        same = [*handles, *seen]
        carried = [*inside.counters, after[0], *inside.states, *inside.last, *inside.lists, *same]
        counts, listed_after, left, last = after[1]
        results = [counts[0], carried[1], counts[1], listed_after, *left, *last]
        results += [*inside.lists, *same]
        loop = LayerLoop(carried, results, steps, condition, _as_they_get_ready(body))
        call.sheet.ops[-1] = replace(call.sheet.ops[-1], loop=loop)
        made = (length, *shape_of(output))
        stacked = call.op("TensorListStack", ended[3], element, shape=made, dtype=output.dtype)
        return stacked, list(ended[4 : 4 + len(states)])

    def _length(self, x: Tensor) -> Tensor:
        """How many steps there are: no round begins before that is known."""
        call = self._call
        if isinstance(self._steps, int):
            return call.op("Range", *(number(one) for one in (0, 1, 1)), shape=(), dtype=INT32)
        sizes = call.op("Shape", x, dtype=INT32)
        return call.op("StridedSlice", sizes, *(numbers(0),) * 3, shape=())

    def _listed(self, x: Tensor) -> Tensor:
        """A step each, from the end if the layer goes backwards."""
        call, sizes = self._call, shape_of(x)
        if call.flag("go_backwards"):
            x = call.op("ReverseV2", x, numbers(0), shape=sizes)
        made = _list(sizes[1:], x.dtype, self._steps)
        call.ops("TensorListFromTensor", x, numbers(*sizes[1:]), outputs=[made])
        return made

    def _nothing_yet(self, x: Tensor, states: Sequence[Tensor], masks: Sequence[Masks]) -> Tensor:
        """What comes out until the first step that is there; Keras runs a step to know its size."""
        call = self._call
        one = call.op("StridedSlice", x, *(numbers(0),) * 3, shape=shape_of(x)[1:])
        with once(call, counted=False):
            output, _ = self._cells.step(one, states, masks)
        return call.op("ZerosLike", output)

    def _kept(self, step: Tensor, new: Sequence[Tensor], old: Sequence[Tensor]) -> list[Tensor]:
        """The old ones of samples that are not there."""
        call = self._call
        made = []
        for one, other in zip(new, old, strict=True):
            sizes = shape_of(one)
            wide = call.reshaped(step, *shape_of(step), *(1,) * (len(sizes) - 2))
            chosen = call.op("Tile", wide, numbers(1, *sizes[1:]), shape=sizes, dtype=BOOL)
            made.append(call.op("SelectV2", chosen, one, other, shape=sizes, dtype=one.dtype))
        return made

    def _goes_on(self, counters: Sequence[Tensor]) -> None:
        """Rounds and steps are counted, and both have an end."""
        call, (rounds, most, steps) = self._call, counters
        bounds = [call.each("Less", one, most, dtype=BOOL) for one in (rounds, steps)]
        call.op("Identity", call.each("LogicalAnd", *bounds, dtype=BOOL))

    def _round(self, inside: _Carried, masks: Sequence[Masks]) -> tuple[Tensor, _Left]:
        """What comes out of a round, and the tensors that it leaves to the next."""
        call = self._call
        rounds, _, step_number = inside.counters
        x, *there = [self._item(one, step_number) for one in inside.lists]
        counts = [call.each("AddV2", one, _COUNTER) for one in (rounds, step_number)]
        before = inside.states
        output, left = self._cells.step(x, before, masks)
        for step in there:
            output, *left = self._kept(step, [output, *left], [*inside.last, *before])
        given, after = (_list(shape_of(output), output.dtype, 1) for _ in range(2))
        place = step_number if self._all else _COUNTER
        call.ops("TensorListSetItem", given, place, output, outputs=[after])
        parts = [counts, left, [output] if there else [], [after]]
        made = [
            [call.ops("Identity", one, outputs=[replace(one)])[0] for one in part] for part in parts
        ]
        return output, (given, (made[0], made[3][0], made[1], made[2]))

    def _item(self, listed: Tensor, place: Tensor) -> Tensor:
        """A step of a list."""
        held = listed.holds or listed
        shape = shape_of(held)
        call = self._call
        return call.op("TensorListGetItem", listed, place, shape=shape, dtype=held.dtype)


@frozen_dataclass
class _Carried:
    """What a round finds: the lists that it reads, the states, what came out last.

    Counted are rounds and steps; between them stands how many there are.
    """

    counters: list[Tensor]
    lists: list[Tensor]
    states: list[Tensor]
    last: list[Tensor]


# the list that a round writes to; then counts, that list, states, what came out
_Left = tuple[Tensor, tuple[list[Tensor], Tensor, list[Tensor], list[Tensor]]]


def _list(element: Sizes, dtype: int, length: Size) -> Tensor:
    return Tensor((), dtypes.VARIANT, holds=Tensor(element, dtype), length=length)


def _as_they_get_ready(ops: Sequence[LayerOp]) -> list[LayerOp]:
    """What reads only what a round finds comes first, variables before the rest, as in a graph."""
    made = {id(one): place for place, op in enumerate(ops) for one in op.call.outputs}
    readers: dict[int, list[int]] = {}
    waits = []
    for place, op in enumerate(ops):
        sources = {made[id(one)] for one in op.call.inputs if id(one) in made}
        waits.append(len(sources))
        for source in sources:
            readers.setdefault(source, []).append(place)
    ready = [place for place, count in enumerate(waits) if not count]
    ready.sort(key=lambda place: ops[place].call.op not in _READ)
    for place in ready:  # grows as it is gone through
        for reader in readers.get(place, ()):
            waits[reader] -= 1
            if not waits[reader]:
                ready.append(reader)
    return [ops[place] for place in ready]


def _handles(call: Layer, mark: int) -> list[Tensor]:
    """The variables that were read since."""
    reads = [op.call for op in call.sheet.ops[mark:] if op.call.op == "ReadVariableOp"]
    return list({id(one.inputs[0]): one.inputs[0] for one in reads}.values())


@contextmanager
def once(call: Layer, *, counted: bool) -> Iterator[None]:
    """Around a layer that is called again and again: its variables count the first time."""
    held = len(call.sheet.variables)
    yield
    if not counted:
        del call.sheet.variables[held:]
