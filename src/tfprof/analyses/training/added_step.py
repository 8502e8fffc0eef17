"""The training step of a model of which only the forward pass is given.

Gradients and updates are written down as ops, beside those of the forward pass, as TensorFlow and
Keras would: the peak is then found as for a training graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import field, replace

from tfprof.analyses.cost.op_costs import OpCost, OpCosts
from tfprof.analyses.graph.subgraph import BACKWARD, FORWARD
from tfprof.analyses.graph.variables import REF_VARIABLES
from tfprof.analyses.training.loop_gradients import LOOPS, loop_gradient, rounds_of
from tfprof.analyses.training.optimizers import ADAM, SLOTS, Trained, updates
from tfprof.analyses.training.training_mode import in_training
from tfprof.analyses.training.written_ops import op_of
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import units
from tfprof.model.dims import elements, packed
from tfprof.ops.gradients import SCOPE, Backward, Gradients, gradients, is_float, stopped, unlisted
from tfprof.ops.rule import INT64, Call, Tensor
from tfprof.wire import dtypes

_HELD = frozenset({*REF_VARIABLES, "VarHandleOp", "Placeholder"})
_LOSS = "SparseSoftmaxCrossEntropyWithLogits"
_LABELS = Tensor((), INT64)
_NAMED = 3
# true of every step that is made here
ASSUMED = (
    "The loss is taken to be a cross entropy over the results; dropout and weight decay leave no "
    "trace in a forward pass and are not in it."
)
_EARLY_LOOPS = "loops of TensorFlow 1 are taken to keep one round for the gradient, not all of them"


@frozen_dataclass
class Training:
    """A whole step, what the optimizer keeps beside the variables, and what was assumed.

    `trained` are the variables that a gradient reaches, and their bytes.
    """

    costs: OpCosts
    trained: dict[str, int] = field(default_factory=dict)
    state_bytes: int = 0
    notes: list[str] = field(default_factory=list)


def with_gradients(
    costs: OpCosts,
    optimizer: str = ADAM,
    trained: Collection[str] | None = None,
    *,
    weight_decay: bool = False,
    scales_loss: bool = False,
) -> Training:
    """The forward pass of `costs` as a training step; `trained` names the variables, if known.

    Without them every variable trains that a gradient reaches; of a frozen graph, its weights. A
    loss with a `weight_decay` holds a gradient of every variable from the start. Who computes in
    float16 `scales_loss`, so that no gradient is too small for it.
    """
    forward = in_training(costs.ops)
    tape = _Tape(forward, trained)
    reached = tape.run(weight_decay=weight_decay)
    added = updates(reached, optimizer, fused=tape.by_reference, scales_loss=scales_loss)
    sizes = {one.name: _bytes(one.value) for one in reached}
    whole = replace(costs, ops=[*forward, *tape.kept, *tape.written, *added])
    state = SLOTS[optimizer] * sum(sizes.values())
    return Training(whole, sizes, state, tape.notes())


def _bytes(value: Tensor) -> int:
    held = packed(elements(value.shape), value.dtype)
    return held if isinstance(held, int) else 0


class _Tape:
    """Goes back through the ops of a forward pass.

    Tensors go by identity: one object on the side that makes it and on those that read it.
    """

    def __init__(self, forward: Sequence[OpCost], trained: Collection[str] | None) -> None:
        self.written: list[OpCost] = []
        self.kept: list[OpCost] = []
        self.by_reference = any(op.site.op in REF_VARIABLES for op in forward)
        self._forward = forward
        self._known = gradients()
        self._unlisted: Counter[str] = Counter()
        self._maker = _makers(forward)
        self._sources = _sources(forward, trained)
        self._depends = self._dependent()
        self._fed = _fed_in_batches(forward)
        self._arrived: dict[int, list[Tensor]] = {}

    def run(self, *, weight_decay: bool = False) -> list[Trained]:
        """The variables that gradients arrive at."""
        for op, tensor in self._ends():
            self._lose(op, tensor)
        for number in range(len(self._forward) - 1, -1, -1):
            self._differentiate(number)
        if weight_decay:
            self._decay()
        return [one for source in self._sources.values() if (one := self._reached(source))]

    def notes(self) -> list[str]:
        """What had to be assumed; for which ops it is not known what the gradient reads."""
        if not self._arrived:
            return ["nothing here depends on a variable: there is nothing to train"]
        loops = [_EARLY_LOOPS] if any(op.site.op == "Enter" for op in self._forward) else []
        return [*loops, *self._guessed()]

    def _guessed(self) -> list[str]:
        if not self._unlisted:
            return []
        named = ", ".join(op for op, _ in self._unlisted.most_common(_NAMED))
        more = len(self._unlisted) - _NAMED
        rest = f" and {units.plural(more, 'other type')}" if more > 0 else ""
        return [f"the gradient of {named}{rest} is not known: taken to read all inputs and outputs"]

    def _dependent(self) -> set[int]:
        """What depends on something trained, by numbers that have a gradient."""
        found = set(self._sources)
        for op in self._forward:
            call = op.site.call
            if self._known.get(call.op) is stopped:
                continue
            if any(id(tensor) in found for tensor in call.inputs):
                found.update(id(tensor) for tensor in call.outputs if _has_gradient(tensor))
        return found

    def _ends(self) -> Iterator[tuple[OpCost, Tensor]]:
        """The results: what nobody reads, and is no leftover inside a function."""
        read = {id(tensor) for op in self._forward for tensor in op.site.call.inputs}
        calls = {op.site.name for op in self._forward if op.site.rule is None}
        for op in self._forward:
            made = op.site.call.outputs
            if any(id(tensor) in read for tensor in made) or _is_inside(op.site.name, calls):
                continue
            # of an op the first output: others are statistics, or places; of a call all of them
            for tensor in made if op.site.rule is None else made[:1]:
                if id(tensor) in self._depends and not tensor.variable:
                    yield op, tensor

    def _lose(self, op: OpCost, made: Tensor) -> None:
        """A loss over a result: cross entropy, which makes the gradient along with it."""
        row = op.site.row
        losses = made.shape[:-1] if made.shape is not None else None
        call = Call(f"loss/{op.site.name}", _LOSS, [made, _LABELS])
        call.outputs = [Tensor(losses, made.dtype), Tensor(made.shape, made.dtype)]
        scaled = Call(f"{SCOPE}loss/{op.site.name}/Mul", "Mul", [call.outputs[1]])
        scaled.outputs = [Tensor(made.shape, made.dtype)]
        self.kept.append(op_of(call, row, FORWARD))
        self.written.append(op_of(scaled, row, BACKWARD))
        self._arrive(made, scaled.outputs[0])

    def _decay(self) -> None:
        """The square of each variable in the loss: a product that waits for nothing."""
        for source in self._sources.values():
            if id(source.tensor) in self._arrived:
                call = Call(f"{SCOPE}{source.op.site.name}/L2Loss/Mul", "Mul", [source.value])
                call.outputs = [Tensor(source.value.shape, source.value.dtype)]
                self.written.append(op_of(call, source.op.site.row, BACKWARD))
                self._arrive(source.tensor, call.outputs[0])

    def _arrive(self, tensor: Tensor, gradient: Tensor) -> None:
        self._arrived.setdefault(id(tensor), []).append(gradient)

    def _differentiate(self, number: int) -> None:
        op = self._forward[number]
        call = op.site.call
        own = [self._maker[id(tensor)] == number for tensor in call.outputs]
        if not any(
            mine and id(tensor) in self._arrived
            for mine, tensor in zip(own, call.outputs, strict=True)
        ):
            return
        wanted = frozenset(
            place for place, tensor in enumerate(call.inputs) if id(tensor) in self._depends
        )
        if not wanted:
            return
        given = [
            self._total(op, tensor) if mine else None
            for mine, tensor in zip(own, call.outputs, strict=True)
        ]
        self._write(op, Backward(call, given, wanted, [], self._is_open(call)))

    def _is_open(self, call: Call) -> bool:
        """Whether the batch of two inputs is known when the step runs, and may be 1 in either."""
        return sum(id(tensor) in self._fed for tensor in call.inputs) > 1

    def _total(self, op: OpCost, tensor: Tensor) -> Tensor | None:
        """The gradients of all that read a tensor, added up."""
        return self._summed(f"{SCOPE}{op.site.name}", op, self._arrived.get(id(tensor), []))

    def _summed(self, name: str, op: OpCost, parts: Sequence[Tensor]) -> Tensor | None:
        if len(parts) < 2:
            return parts[0] if parts else None
        call = Call(f"{name}/AddN", "AddN", parts)
        call.outputs = [Tensor(parts[0].shape, parts[0].dtype)]
        self.written.append(op_of(call, op.site.row, BACKWARD, op.site.times))
        return call.outputs[0]

    def _write(self, op: OpCost, back: Backward) -> None:
        found = self._gradients(op, back)
        row, times = op.site.row, op.site.times
        self.written += [op_of(call, row, BACKWARD, times) for call in back.written]
        if self.by_reference and len(found) > 1:
            found = self._together(op, found)
        for place, gradient in found.items():
            if place in back.wanted:
                self._arrive(back.x(place), gradient)

    def _gradients(self, op: OpCost, back: Backward) -> Gradients:
        if op.site.op in LOOPS:
            rounds = rounds_of(op, self._forward, self._known, back.wanted)
            self.kept += rounds.kept.values()
            values = {at: source.value for at, source in self._sources.items()}
            made, found = loop_gradient(op, back, rounds, values)
            self.written += [*rounds.written, made]
            return found
        differentiate = self._known.get(op.site.op)
        if differentiate is None:
            self._unlisted[op.site.op] += 1
            differentiate = unlisted
        return differentiate(back)

    def _together(self, op: OpCost, found: Gradients) -> Gradients:
        """TensorFlow 1 passes the gradients of an op on when all of them are there."""
        call = Call(f"{SCOPE}{op.site.name}/tuple", "IdentityN", list(found.values()))
        call.outputs = [Tensor(one.shape, one.dtype) for one in found.values()]
        self.written.append(op_of(call, op.site.row, BACKWARD, op.site.times))
        return dict(zip(found, call.outputs, strict=True))

    def _reached(self, source: _Source) -> Trained | None:
        parts = self._arrived.get(id(source.tensor), [])
        if not parts:
            return None
        op, value = source.op, source.value
        if len(parts) > 1:
            parts = [
                one if one.shape == value.shape else self._dense(op, value, one) for one in parts
            ]
        gradient = self._summed(f"{SCOPE}{op.site.name}", op, parts)
        if gradient is None:
            return None
        sparse = gradient.shape != value.shape
        return Trained(op.site.name, value, gradient, op.site.row, sparse)

    def _dense(self, op: OpCost, value: Tensor, rows: Tensor) -> Tensor:
        call = Call(f"{SCOPE}{op.site.name}/UnsortedSegmentSum", "UnsortedSegmentSum", [rows])
        call.outputs = [Tensor(value.shape, value.dtype)]
        self.written.append(op_of(call, op.site.row, BACKWARD))
        return call.outputs[0]


def _is_inside(name: str, calls: Collection[str]) -> bool:
    """Whether an op is part of a function that is called."""
    scope = name.rpartition("/")[0]
    while scope:
        if scope in calls:
            return True
        scope = scope.rpartition("/")[0]
    return False


def _has_gradient(tensor: Tensor) -> bool:
    """Floating numbers, and lists of them."""
    inside = tensor.holds if tensor.dtype == dtypes.VARIANT else tensor
    return inside is not None and is_float(inside)


@frozen_dataclass
class _Source:
    """A variable: what holds it, and what is read from it."""

    op: OpCost
    tensor: Tensor
    value: Tensor


def _makers(ops: Sequence[OpCost]) -> dict[int, int]:
    """Which op makes a tensor; of one that comes out of a call, the op inside."""
    found: dict[int, int] = {}
    for calls in (False, True):
        for number, op in enumerate(ops):
            if (op.site.rule is None) is calls:
                for tensor in op.site.call.outputs:
                    found.setdefault(id(tensor), number)
    return found


def _fed_in_batches(ops: Sequence[OpCost]) -> set[int]:
    """What is computed from inputs whose batch the graph leaves open."""
    found: set[int] = set()
    for op in ops:
        call = op.site.call
        if any(id(tensor) in found for tensor in call.inputs) or _is_open_input(call):
            found.update(id(one) for one in call.outputs if one.shape and one.shape[0] != 1)
    return found


def _is_open_input(call: Call) -> bool:
    stated = call.stated() if call.op == "Placeholder" else ()
    return stated is None or (len(stated) > 0 and stated[0] is None)


def _sources(ops: Sequence[OpCost], trained: Collection[str] | None) -> dict[int, _Source]:
    """The variables that may train, by what holds them; without any, the constants of a model."""
    values: dict[str, Tensor] = {}
    for op in ops:
        for tensor in op.site.call.outputs:
            value = tensor.holds or tensor
            if tensor.variable and is_float(value):
                values.setdefault(tensor.variable, value)
    held = [
        op
        for op in ops
        if op.site.op in _HELD
        and op.site.name in values
        and (trained is None or op.site.name in trained)
    ]
    if held or values:
        pairs = [(op, values[op.site.name]) for op in held]
    else:
        pairs = [(op, op.site.call.outputs[0]) for op in ops if _is_frozen_weight(op)]
    return {id(op.site.call.outputs[0]): _Source(op, op.site.call.outputs[0], value)
            for op, value in pairs}  # fmt: skip


def _is_frozen_weight(op: OpCost) -> bool:
    if op.site.op != "Const" or not op.site.call.outputs:
        return False
    made = op.site.call.outputs[0]
    return is_float(made) and bool(made.shape) and elements(made.shape) != 1
