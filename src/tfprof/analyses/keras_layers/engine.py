"""A pass over the calls of a model: each rule is asked once its inputs are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tfprof.analyses.keras_layers.lookup import rule_of
from tfprof.analyses.keras_layers.rule import (
    Call,
    Cost,
    Tensor,
    Unknown,
    Variable,
    compute_dtype,
    tensors,
)
from tfprof.model.dims import BATCH, Dim, Size, at, symbol, symbols
from tfprof.model.graph import Shape
from tfprof.model.keras_model import KerasCall, Ref
from tfprof.sources.keras.calls import calls_of
from tfprof.sources.keras.nodes import is_model
from tfprof.wire.json_values import Object

_DEEPEST = 20
_MOST_INNER = 20_000
_MOST_PASSES = 100
_LARGEST = 1 << 63
_DAMAGED = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Found:
    """Of one call: what it costs, or why that is unknown; its variables may be known even then."""

    inputs: tuple[Tensor, ...] = ()
    cost: Cost | None = None
    variables: tuple[Variable, ...] | None = None
    reason: str = ""


def evaluated(calls: Sequence[KerasCall]) -> list[Found]:
    """What each call costs. Open dimensions that have to be the same get one name."""
    known: dict[str, Size] = {}
    found: list[Found] = []
    for _ in range(_MOST_PASSES):
        one = _Pass(known)
        found = one.run(calls)
        if not one.equal:
            break
        # start again with what is known of the inputs now
        known = {name: at(size, one.equal) for name, size in known.items()} | one.equal
    return found


@dataclass(frozen=True, slots=True)
class _Lost:
    """A tensor whose shape is not known, and why; `stated` is what the file says of it."""

    reason: str
    stated: Shape | None = None


_Made = tuple[Tensor, ...] | _Lost


class _Pass:
    """Also the engine that rules ask."""

    def __init__(self, known: Mapping[str, Size]) -> None:
        self.equal: dict[str, Size] = {}
        self._known = known
        self._names: set[str] = set()
        self._inner = 0
        self._depth = 0

    def run(self, calls: Sequence[KerasCall]) -> list[Found]:
        made: list[_Made] = []
        rows = []
        for call in calls:
            row, outputs = self._one(call, made)
            rows.append(row)
            made.append(outputs)
        return rows

    def _one(self, call: KerasCall, made: list[_Made]) -> tuple[Found, _Made]:
        lost: list[_Lost] = []

        def given(value: object) -> object:
            found = _output(made, value) if isinstance(value, Ref) else value
            if not isinstance(found, _Lost):
                return found
            lost.append(found)
            return _built_for(found)

        args, kwargs = _given(call, given)
        try:
            if lost:
                return self._after(call, lost[0].reason, args, kwargs)
            cost = self._cost(call, args, kwargs)
            row = Found(tuple(tensors([args, kwargs])), cost, cost.variables, cost.note)
            _check(cost)
        except Unknown as fault:
            reason = str(fault)
        except _DAMAGED:
            reason = f"the config of {call.class_name} is not what this class needs"
        else:
            return row, cost.outputs
        return Found(reason=reason), _Lost(f"{call.layer}: {reason}")

    def _after(
        self, call: KerasCall, reason: str, args: list[object], kwargs: dict[str, object]
    ) -> tuple[Found, _Made]:
        """The shapes are not known, but what the layer was built for may be in the file."""
        equal = dict(self.equal)
        variables = None
        try:
            cost = self._cost(call, args, kwargs)
            _check(cost)
            variables = cost.variables
        except (Unknown, *_DAMAGED):
            variables = None
        self.equal = equal
        return Found(variables=variables, reason=f"after {reason}"), _Lost(reason)

    def _cost(self, call: KerasCall, args: list[object], kwargs: dict[str, object]) -> Cost:
        if call.class_name == "InputLayer":
            return Cost((self._input(call),))
        seen = Call(call.class_name, call.config, args, kwargs, self, trainable=call.trainable)
        return rule_of(seen, call.module)(seen)

    def _input(self, call: KerasCall) -> Tensor:
        stated = call.config.get("batch_shape", call.config.get("batch_input_shape"))
        if not isinstance(stated, list | tuple):
            raise Unknown("the file does not say the shape of the input")
        shape = [
            size if isinstance(size, int) else self._symbol(axis, len(stated))
            for axis, size in enumerate(stated)
        ]
        return Tensor(tuple(shape), compute_dtype(call.config.get("dtype")) or "float32")

    def _symbol(self, axis: int, rank: int) -> Size:
        """B for the batch; S for a sequence, H and W of images, D before them, C at the end."""
        if axis == 0:
            return symbol(BATCH)
        letters = {2: "S", 3: "SC", 4: "HWC", 5: "DHWC"}.get(rank, "")
        base = letters[axis - 1] if letters else f"N{axis}_"
        name, number = base, 1
        while name in self._names:
            number += 1
            name = f"{base}{number}"
        self._names.add(name)
        return self._known.get(name, symbol(name))

    # what rules ask

    def same(self, one: Size, other: Size) -> Size:
        if one == other:
            return one
        if isinstance(one, int) and isinstance(other, int):
            raise Unknown(f"the sizes {one} and {other} do not go together")
        for left, right in ((other, one), (one, other)):
            name = _only_symbol(left)
            if name and name != BATCH:
                if name not in symbols(right) and name not in self.equal:
                    self.equal[name] = right
                return right
        return other if isinstance(other, int) else one

    def inner(self, entry: object, inputs: Sequence[Tensor], *, trainable: bool) -> Cost:
        self._inner += 1
        if self._depth > _DEEPEST or self._inner > _MOST_INNER:
            raise Unknown("layers are wrapped too deep")
        if not isinstance(entry, dict):
            raise Unknown("a wrapper holds no layer")
        self._depth += 1
        try:
            if is_model(entry):
                return self._inner_model(entry, inputs, trainable=trainable)
            config = entry.get("config")
            config = config if isinstance(config, dict) else {}
            trains = trainable and bool(config.get("trainable", True))
            kind = str(entry.get("class_name"))
            given = inputs[0] if len(inputs) == 1 else list(inputs)
            seen = Call(kind, config, [given], {}, self, trainable=trains)
            cost = rule_of(seen, str(entry.get("module") or ""))(seen)
        finally:
            self._depth -= 1
        return cost if trains else replace(cost, variables=_frozen(cost.variables))

    def _inner_model(self, entry: Object, inputs: Sequence[Tensor], *, trainable: bool) -> Cost:
        """All of a wrapped model together; its inputs are those of the wrapper."""
        flow = calls_of(entry)
        if flow.missing:
            raise Unknown(flow.missing)
        made: list[_Made] = []
        given = iter(inputs)
        macs: Size = 0
        work: Size | None = 0
        note = ""
        variables: dict[str, tuple[Variable, ...]] = {}

        def tensor(value: object) -> object:
            found = _output(made, value) if isinstance(value, Ref) else value
            if isinstance(found, _Lost):
                raise Unknown(found.reason)
            return found

        for call in flow.calls:
            self._inner += 1
            if self._inner > _MOST_INNER:
                raise Unknown("layers are wrapped too deep")
            if call.class_name == "InputLayer":
                made.append((next(given, Tensor(())),))
                continue
            cost = self._cost(call, *_given(call, tensor))
            made.append(cost.outputs)
            macs, note = macs + cost.macs, note or cost.note
            work = None if work is None or cost.work is None else work + cost.work
            trains = trainable and call.trainable
            variables[call.layer] = cost.variables if trains else _frozen(cost.variables)
        found = [_output(made, ref) for ref in flow.outputs]
        outputs = tuple(one for one in found if isinstance(one, Tensor))
        held = tuple(variable for each in variables.values() for variable in each)
        return Cost(outputs, held, macs, work, note)


def _check(cost: Cost) -> None:
    """Sizes that no tensor has are the fault of the layer that asks for them."""
    sizes = [size for tensor in cost.outputs for size in tensor.shape]
    counts = [one.elements for one in cost.variables]
    work = 0 if cost.work is None else cost.work
    if not all(isinstance(size, int | Dim) for size in (*sizes, cost.macs, work)):
        raise TypeError
    for size in (*sizes, *counts):
        if isinstance(size, int) and not 0 <= size < _LARGEST:
            raise Unknown("a size is no size that a tensor can have")


def _only_symbol(size: Size) -> str:
    """The name of a size that is just a symbol."""
    if not isinstance(size, Dim) or len(size.terms) != 1:
        return ""
    ((monomial, factor),) = size.terms.items()
    if factor != 1 or len(monomial) != 1 or monomial[0][1] != 1:
        return ""
    return monomial[0][0] if isinstance(monomial[0][0], str) else ""


def _output(made: list[_Made], ref: Ref) -> Tensor | _Lost:
    if not 0 <= ref.call < len(made):
        return _Lost("an input that the file does not hold", ref.stated)
    outputs = made[ref.call]
    if isinstance(outputs, _Lost):
        return _Lost(outputs.reason, ref.stated)
    if ref.output >= len(outputs):
        return _Lost("an output that its layer does not have", ref.stated)
    return outputs[ref.output]


def _built_for(lost: _Lost) -> Tensor | None:
    """The stated shape, open dimensions under names that no answer shows."""
    if lost.stated is None:
        return None
    sizes = (symbol(f"?{axis}") if size is None else size for axis, size in enumerate(lost.stated))
    return Tensor(tuple(sizes))


_Change = Callable[[object], object]


def _given(call: KerasCall, change: _Change) -> tuple[list[object], dict[str, object]]:
    """The arguments of a call with tensors for references."""
    args = [_mapped(arg, change) for arg in call.args]
    return args, {name: _mapped(value, change) for name, value in call.kwargs.items()}


def _mapped(value: object, change: _Change, depth: int = 0) -> object:
    if isinstance(value, list | tuple) and depth < _DEEPEST:
        return [_mapped(part, change, depth + 1) for part in value]
    if isinstance(value, dict) and depth < _DEEPEST:
        return {name: _mapped(part, change, depth + 1) for name, part in value.items()}
    return change(value)


def _frozen(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    return tuple(replace(one, trained=False) for one in variables)
