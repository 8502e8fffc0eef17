"""What a recurrent layer does in one step: gates of the input and of what the last step left."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.keras_layers.activations import activated
from tfprof.keras_layers.layer import SCALAR, Config, Layer, Sizes, number, numbers, shape_of
from tfprof.keras_layers.sizes import Unknown, whole
from tfprof.ops.rule import Tensor


@frozen_dataclass
class Masks:
    """What dropout leaves in training, the same in every step; there may be one for each gate."""

    of_input: Sequence[Tensor] = ()
    of_state: Sequence[Tensor] = ()


# what a step makes, and the states that it leaves
Stepped = tuple[Tensor, list[Tensor]]
Step = Callable[[Layer, Sequence[Tensor], Masks], Stepped]


@frozen_dataclass
class Cell:
    """All are asked with the cell as a layer that is called with one step.

    `states` are their sizes beside the batch, `masks` how many each dropout makes.
    """

    states: Callable[[Layer], list[Sizes]]
    step: Step
    masks: Callable[[Layer], int] = lambda _: 1


_CELLS: dict[str, Cell] = {}


def register(names: str, cell: Cell) -> None:
    _CELLS.update(dict.fromkeys(names.split(), cell))


def cell_of(class_name: str) -> Cell:
    found = _CELLS.get(class_name)
    if found is None:
        raise Unknown(f"Unknown layer class {class_name}")
    return found


def entry_of(around: Layer, entry: object) -> tuple[str, Config]:
    """Class and config of a cell."""
    if not isinstance(entry, dict):
        raise Unknown(f"{around.class_name} has no cell")
    config = entry.get("config")
    return str(entry.get("class_name")), config if isinstance(config, dict) else {}


# --- what cells are made of


def split(cell: Layer, x: Tensor, parts: int, axis: int) -> Sequence[Tensor]:
    """In equal parts."""
    sizes = shape_of(x)
    each = whole(sizes[axis], "what is split") // parts
    shape = (*sizes[:axis], each, *sizes[axis + 1 :])
    made = [Tensor(shape, x.dtype) for _ in range(parts)]
    return cell.ops("Split", number(axis), x, outputs=made)


def masked(cell: Layer, x: Tensor, masks: Sequence[Tensor], gates: int) -> list[Tensor]:
    """A tensor as each gate sees it."""
    if not masks:
        return [x] * gates
    seen = [cell.each("Mul", x, mask) for mask in masks]
    return seen * gates if len(seen) == 1 else seen


def long_short(cell: Layer, gates: Sequence[Tensor], carried: Tensor) -> Stepped:
    """How an LSTM goes on from its gates: c = f c + i g, h = o tanh(c)."""
    taken, kept = _gate(cell, gates[0]), _gate(cell, gates[1])
    remembered = cell.each("Mul", kept, carried)
    learned = cell.each("Mul", taken, _active(cell, gates[2]))
    carry = cell.each("AddV2", remembered, learned)
    shown = _gate(cell, gates[3])
    output = cell.each("Mul", shown, _active(cell, carry))
    return output, [output, carry]


def _gate(cell: Layer, x: Tensor) -> Tensor:
    return activated(cell, x, cell.config.get("recurrent_activation", "sigmoid"))


def _active(cell: Layer, x: Tensor) -> Tensor:
    return activated(cell, x, cell.config.get("activation", "tanh"))


def _columns(cell: Layer, x: Tensor, count: int) -> Tensor:
    """So many columns of a matrix, or entries of a vector; which of them makes no difference."""
    corners = (numbers(*[0] * len(shape_of(x))),) * 3
    return cell.op("StridedSlice", x, *corners, shape=(*shape_of(x)[:-1], count))


# --- of units


def _units(count: int) -> Callable[[Layer], list[Sizes]]:
    return lambda cell: [(cell.integer("units"),)] * count


def _is_gate_by_gate(cell: Layer) -> bool:
    """Not all gates at once: an old choice, and the only one that can drop parts of the state."""
    return cell.config.get("implementation") == 1 or bool(cell.config.get("recurrent_dropout"))


def _weights(cell: Layer, gates: int, *biases: int) -> tuple[Tensor, Tensor, Tensor | None]:
    """The kernel of the input, that of the state, and the bias if there is one."""
    units, features = cell.integer("units"), whole(cell.shape[-1], "the last dimension")
    kernel = cell.weight("kernel", (features, gates * units))
    recurrent = cell.weight("recurrent_kernel", (units, gates * units))
    if not cell.flag("use_bias", absent=True):
        return kernel, recurrent, None
    return kernel, recurrent, cell.weight("bias", (*biases, gates * units))


def _lstm(cell: Layer, states: Sequence[Tensor], masks: Masks) -> Stepped:
    before, carried = states
    weights = _weights(cell, 4)
    if _is_gate_by_gate(cell):
        return long_short(cell, _lstm_gates(cell, before, weights, masks), carried)
    kernel, recurrent, bias = weights
    z = cell.op("MatMul", masked(cell, cell.x, masks.of_input, 1)[0], kernel)
    z = cell.each("AddV2", z, cell.op("MatMul", before, recurrent))
    if bias is not None:
        z = cell.op("BiasAdd", z, bias)
    return long_short(cell, split(cell, z, 4, 1), carried)


def _lstm_gates(
    cell: Layer, before: Tensor, weights: tuple[Tensor, Tensor, Tensor | None], masks: Masks
) -> list[Tensor]:
    kernel, recurrent, bias = weights
    seen = masked(cell, cell.x, masks.of_input, 4)
    kernels = split(cell, kernel, 4, 1)
    x = [cell.op("MatMul", one, own) for one, own in zip(seen, kernels, strict=True)]
    if bias is not None:
        biases = split(cell, bias, 4, 0)
        x = [cell.each("AddV2", one, own) for one, own in zip(x, biases, strict=True)]
    units, made = cell.integer("units"), list[Tensor]()
    for one, state in zip(x, masked(cell, before, masks.of_state, 4), strict=True):
        inner = cell.op("MatMul", state, _columns(cell, recurrent, units))
        made.append(cell.each("AddV2", one, inner))
    return made


def _gru(cell: Layer, states: Sequence[Tensor], masks: Masks) -> Stepped:
    """The candidate g sees as much of the state as a gate lets: h = z h + (1 - z) g."""
    (before,) = states
    gates = _GruGates(cell)
    of_update, of_reset, of_candidate = gates.of_input(masks)
    seen = masked(cell, before, masks.of_state, 3)
    inner = gates.of_state(seen)
    update = _gate(cell, cell.each("AddV2", of_update, inner[0]))
    reset = _gate(cell, cell.each("AddV2", of_reset, inner[1]))
    if gates.resets_after:
        rest = cell.each("Mul", reset, inner[2])
    else:
        rest = gates.product(cell.each("Mul", reset, seen[2]))
    candidate = _active(cell, cell.each("AddV2", of_candidate, rest))
    old = cell.each("Mul", update, before)
    new = cell.each("Mul", cell.each("Sub", SCALAR, update), candidate)
    output = cell.each("AddV2", old, new)
    return output, [output]


class _GruGates:
    """Update, reset and candidate, of the input and of the state.

    The state is reset after its product with the kernel, which has a bias then, or before.
    """

    def __init__(self, cell: Layer) -> None:
        self._cell, self._units = cell, cell.integer("units")
        self.resets_after = cell.flag("reset_after")
        biases = (2,) if self.resets_after else ()
        self._kernel, self._recurrent, self._bias = _weights(cell, 3, *biases)
        self._inner_bias: Tensor | None = None
        if self._bias is not None and self.resets_after:
            both = split(cell, self._bias, 2, 0)
            self._bias, self._inner_bias = (
                cell.op("Squeeze", one, squeeze_dims=[0]) for one in both
            )

    def of_input(self, masks: Masks) -> Sequence[Tensor]:
        cell = self._cell
        if _is_gate_by_gate(cell):
            seen = masked(cell, cell.x, masks.of_input, 3)
            made = [cell.op("MatMul", one, self._part(self._kernel)) for one in seen]
            return [self._with(one, self._bias) for one in made]
        x = cell.op("MatMul", masked(cell, cell.x, masks.of_input, 1)[0], self._kernel)
        if self._bias is not None:
            x = cell.op("BiasAdd", x, self._bias)
        return split(cell, x, 3, 1)

    def of_state(self, seen: Sequence[Tensor]) -> Sequence[Tensor]:
        """Of those gates that see all of it."""
        cell, count = self._cell, 3 if self.resets_after else 2
        if _is_gate_by_gate(cell):
            made = [self.product(one) for one in seen[:count]]
            return [self._with(one, self._inner_bias) for one in made]
        columns = self._recurrent
        if not self.resets_after:
            columns = _columns(cell, columns, count * self._units)
        inner = cell.op("MatMul", seen[0], columns)
        if self._inner_bias is not None:
            inner = cell.each("AddV2", inner, self._inner_bias)
        return [self._part(inner) for _ in range(count)]

    def product(self, state: Tensor) -> Tensor:
        """With the part of the kernel that is one gate's."""
        return self._cell.op("MatMul", state, self._part(self._recurrent))

    def _part(self, x: Tensor) -> Tensor:
        return _columns(self._cell, x, self._units)

    def _with(self, x: Tensor, bias: Tensor | None) -> Tensor:
        return x if bias is None else self._cell.each("AddV2", x, self._part(bias))


def _simple(cell: Layer, states: Sequence[Tensor], masks: Masks) -> Stepped:
    kernel, recurrent, bias = _weights(cell, 1)
    x = cell.op("MatMul", masked(cell, cell.x, masks.of_input, 1)[0], kernel)
    if bias is not None:
        x = cell.op("BiasAdd", x, bias)
    before = masked(cell, states[0], masks.of_state, 1)[0]
    output = _active(cell, cell.each("AddV2", x, cell.op("MatMul", before, recurrent)))
    return output, [output]


def _for_each(gates: int) -> Callable[[Layer], int]:
    return lambda cell: gates if _is_gate_by_gate(cell) else 1


register("LSTM LSTMCell CuDNNLSTM", Cell(_units(2), _lstm, _for_each(4)))
register("GRU GRUCell CuDNNGRU", Cell(_units(1), _gru, _for_each(3)))
register("SimpleRNN SimpleRNNCell", Cell(_units(1), _simple))
