"""What a Keras model costs, from its config alone: shapes, parameters, MACs, activation bytes.

Sizes are formulas in B, the batch, and in other open dimensions. A layer class that is not known is
named, and everything after it is unknown for that cause; parameters are known there all the same
where the file states the shapes that a layer was built for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tfprof.analyses.keras_layers.rule import (
    Call,
    Cost,
    Rule,
    Tensor,
    Unknown,
    Variable,
    bytes_of,
    compute_dtype,
    layer_rules,
    operation_rules,
)
from tfprof.model.dims import BATCH, Dim, Size, symbol, symbols
from tfprof.model.dims import Shape as Open
from tfprof.model.graph import Shape
from tfprof.model.keras_model import KerasCall, KerasLayer, KerasModel, Ref
from tfprof.sources.keras_calls import calls_of, is_model

_DEEPEST = 20
_MOST_INNER = 20_000
_DAMAGED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_SEEDS = ("seed_generator_state",)


@dataclass(frozen=True, slots=True)
class CallCost:
    """One call of a layer. None is unknown, for the `reason`.

    The parameters are those of the layer, whichever call this is; a total counts call 0 only.
    """

    layer: str
    class_name: str
    call: int = 0
    inputs: tuple[Open, ...] = ()
    outputs: tuple[Open, ...] | None = None
    dtype: str = ""
    trainable: int | None = None
    non_trainable: int | None = None
    macs: Size | None = None
    work: Size | None = None
    activation_bytes: Size | None = None
    reason: str = ""

    @property
    def params(self) -> int | None:
        if self.trainable is None or self.non_trainable is None:
            return None
        return self.trainable + self.non_trainable


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of what is known, and the first reason for what is missing from it."""

    known: Size
    missing: int = 0
    reason: str = ""

    @property
    def value(self) -> Size | None:
        return None if self.missing else self.known


@dataclass(frozen=True, slots=True)
class KerasCosts:
    """`differs` tells of layers whose stored weights are not those that the config asks for."""

    calls: tuple[CallCost, ...] = ()
    missing: str = ""
    differs: tuple[str, ...] = ()

    def total(self, quantity: str) -> Total:
        """Of `trainable`, `non_trainable`, `params`, `macs`, `work` or `activation_bytes`.

        Activations are what layers make: inputs are not among them.
        """
        known: Size = 0
        missing, reason = int(bool(self.missing)), self.missing
        for call in self.calls:
            if quantity in _OF_LAYERS and call.call:
                continue
            if quantity == "activation_bytes" and call.class_name == "InputLayer":
                continue
            value = getattr(call, quantity)
            if value is None:
                missing, reason = missing + 1, reason or call.reason
            else:
                known = known + value
        return Total(known, missing, reason)

    @property
    def input_bytes(self) -> Total:
        inputs = [call for call in self.calls if call.class_name == "InputLayer"]
        lost = [call.reason for call in inputs if call.activation_bytes is None]
        known: Size = 0
        for call in inputs:
            known = known + (call.activation_bytes or 0)
        return Total(known, len(lost), lost[0] if lost else "")

    @property
    def unknown_classes(self) -> tuple[str, ...]:
        """Layer classes without a rule, in order of the model."""
        start = "Unknown layer class "
        found = [c.reason.removeprefix(start) for c in self.calls if c.reason.startswith(start)]
        return tuple(dict.fromkeys(found))


_OF_LAYERS = ("trainable", "non_trainable", "params")


def keras_costs(model: KerasModel) -> KerasCosts:
    """Every call of the model with what it costs."""
    flow = model.flow
    if flow.missing:
        return KerasCosts(missing=flow.missing)
    stored = {} if model.weights_missing else {one.path: one for one in model.layers}
    known: dict[str, Size] = {}
    # two open dimensions that turn out to be one get one name, and the pass starts again
    for _ in range(len(flow.calls) + 1):
        one_pass = _Pass(known)
        calls = one_pass.run(flow.calls)
        if not one_pass.equal:
            break
        known = {name: _at(size, one_pass.equal) for name, size in known.items()}
        known |= one_pass.equal
    checked = [_with_stored(call, stored.get(call.layer)) for call in calls]
    differs = dict.fromkeys(text for _, text in checked if text)
    return KerasCosts(tuple(call for call, _ in checked), differs=tuple(differs))


def _at(size: Size, known: Mapping[str, Size]) -> Size:
    return size.at(known) if isinstance(size, Dim) else size


@dataclass(frozen=True, slots=True)
class _Lost:
    """A tensor whose shape is not known, and why; `stated` is what the file says of it."""

    reason: str
    stated: Shape | None = None


_Made = tuple[Tensor, ...] | _Lost


class _Pass:
    """One pass over the calls; also the engine that rules ask."""

    def __init__(self, known: Mapping[str, Size]) -> None:
        self.known = known
        self.equal: dict[str, Size] = {}
        self._names: set[str] = set()
        self._inner = 0
        self._depth = 0

    def run(self, calls: Sequence[KerasCall]) -> list[CallCost]:
        made: list[_Made] = []
        rows = []
        for call in calls:
            row, outputs = self._one(call, made)
            rows.append(row)
            made.append(outputs)
        return rows

    def _one(self, call: KerasCall, made: list[_Made]) -> tuple[CallCost, _Made]:
        row = CallCost(call.layer, call.class_name, call.number)
        lost: list[_Lost] = []

        def given(value: Any) -> Any:  # noqa: ANN401  (arguments are anything)
            if not isinstance(value, Ref):
                return value
            tensor = _output(made, value)
            if isinstance(tensor, _Lost):
                lost.append(tensor)
                return _built_for(tensor)
            return tensor

        try:
            args = [_mapped(arg, given) for arg in call.args]
            kwargs = {name: _mapped(value, given) for name, value in call.kwargs.items()}
            if not lost:
                cost = self._cost(call, args, kwargs)
                return _row(row, call, cost, args, kwargs), cost.outputs
        except Unknown as fault:
            reason = str(fault)
        except _DAMAGED:
            reason = f"the config of {call.class_name} is not what this class needs"
        else:
            # the shapes are not known, but what the layer was built for may be
            return self._after(row, call, lost[0], (args, kwargs))
        cause = f"{call.layer}: {reason}"
        return replace(row, reason=reason), _Lost(cause)

    def _after(
        self, row: CallCost, call: KerasCall, lost: _Lost, given: tuple[list[Any], dict[str, Any]]
    ) -> tuple[CallCost, _Made]:
        row = replace(row, reason=f"after {lost.reason}")
        equal = dict(self.equal)
        try:
            cost = self._cost(call, *given)
        except (Unknown, *_DAMAGED):
            return row, _Lost(lost.reason)
        finally:
            self.equal = equal
        return _with_params(row, cost.variables, trainable=call.trainable), _Lost(lost.reason)

    def _cost(self, call: KerasCall, args: list[Any], kwargs: dict[str, Any]) -> Cost:
        if call.class_name == "InputLayer":
            return Cost((self._input(call),))
        rule = _rule(call.class_name, call.module)
        seen = Call(call.class_name, call.config, args, kwargs, self, trainable=call.trainable)
        return rule(seen)

    def _input(self, call: KerasCall) -> Tensor:
        stated = call.config.get("batch_shape", call.config.get("batch_input_shape"))
        if not isinstance(stated, list | tuple):
            raise Unknown("the file does not say the shape of the input")
        shape: list[Size] = []
        for axis, size in enumerate(stated):
            open_ = not isinstance(size, int)
            shape.append(self._symbol(axis, len(stated)) if open_ else size)
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
        return self.known.get(name, symbol(name))

    # what rules ask

    def same(self, one: Size, other: Size) -> Size:
        if one == other:
            return one
        if isinstance(one, int) and isinstance(other, int):
            raise Unknown(f"the sizes {one} and {other} do not go together")
        for left, right in ((other, one), (one, other)):
            if isinstance(left, Dim) and (name := _only_symbol(left)) and name != BATCH:
                if name not in symbols(right) and name not in self.equal:
                    self.equal[name] = right
                return right
        return one

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
            kind, config = str(entry.get("class_name")), entry.get("config")
            config = config if isinstance(config, dict) else {}
            trains = trainable and bool(config.get("trainable", True))
            rule = _rule(kind, str(entry.get("module") or ""))
            cost = rule(Call(kind, config, [_single(inputs)], {}, self, trainable=trains))
        finally:
            self._depth -= 1
        return cost if trains else replace(cost, variables=_frozen(cost.variables))

    def _inner_model(
        self, entry: dict[str, Any], inputs: Sequence[Tensor], *, trainable: bool
    ) -> Cost:
        """All of a wrapped model together; its inputs are those of the wrapper."""
        flow = calls_of(entry)
        made: list[_Made] = []
        given = iter(inputs)
        macs: Size = 0
        work: Size | None = 0
        note = ""
        variables: dict[str, tuple[Variable, ...]] = {}
        for call in flow.calls:
            if call.class_name == "InputLayer":
                made.append((next(given),))
                continue

            def tensor(value: Any) -> Any:  # noqa: ANN401  (arguments are anything)
                found = _output(made, value) if isinstance(value, Ref) else value
                if isinstance(found, _Lost):
                    raise Unknown(found.reason)
                return found

            args = [_mapped(arg, tensor) for arg in call.args]
            kwargs = {name: _mapped(value, tensor) for name, value in call.kwargs.items()}
            cost = self._cost(call, args, kwargs)
            made.append(cost.outputs)
            macs, note = macs + cost.macs, note or cost.note
            work = None if work is None or cost.work is None else work + cost.work
            trains = trainable and call.trainable
            variables[call.layer] = cost.variables if trains else _frozen(cost.variables)
        found = [_output(made, ref) for ref in flow.outputs]
        outputs = tuple(one for one in found if isinstance(one, Tensor))
        held = tuple(variable for each in variables.values() for variable in each)
        return Cost(outputs, held, macs, work, note)


def _rule(class_name: str, module: str) -> Rule:
    kind = class_name.removeprefix("Keras>")
    ours = not module or module.split(".", 1)[0] in ("keras", "tf_keras", "tensorflow")
    is_operation = ".ops." in f"{module}."
    rules = operation_rules() if is_operation else layer_rules()
    rule = rules.get(kind) if ours else None
    if rule is None:
        what = "operation" if is_operation and ours else "layer class"
        raise Unknown(f"Unknown {what} {class_name}")
    return rule


def _only_symbol(size: Dim) -> str:
    """The name of a size that is just a symbol."""
    if len(size.terms) != 1:
        return ""
    ((monomial, factor),) = size.terms.items()
    if factor != 1 or len(monomial) != 1 or monomial[0][1] != 1:
        return ""
    return monomial[0][0] if isinstance(monomial[0][0], str) else ""


def _single(inputs: Sequence[Tensor]) -> Any:  # noqa: ANN401  (one argument, or a list)
    return inputs[0] if len(inputs) == 1 else list(inputs)


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
    sizes = tuple(
        symbol(f"?{axis}") if size is None else size for axis, size in enumerate(lost.stated)
    )
    return Tensor(sizes)


def _mapped(value: Any, change: Any, depth: int = 0) -> Any:  # noqa: ANN401  (JSON is anything)
    if isinstance(value, list | tuple) and depth < _DEEPEST:
        return [_mapped(part, change, depth + 1) for part in value]
    if isinstance(value, dict) and depth < _DEEPEST:
        return {name: _mapped(part, change, depth + 1) for name, part in value.items()}
    return change(value)


def _frozen(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    return tuple(replace(one, trained=False) for one in variables)


def _with_params(row: CallCost, variables: Sequence[Variable], *, trainable: bool) -> CallCost:
    trained = sum(one.elements for one in variables if one.trained and trainable)
    every = sum(one.elements for one in variables)
    return replace(row, trainable=trained, non_trainable=every - trained)


def _row(
    row: CallCost, call: KerasCall, cost: Cost, args: list[Any], kwargs: dict[str, Any]
) -> CallCost:
    from tfprof.analyses.keras_layers.rule import tensors

    stored: Size | None = 0
    for tensor in cost.outputs:
        more = bytes_of(tensor)
        stored = None if stored is None or more is None else stored + more
    row = replace(
        row,
        inputs=tuple(one.shape for one in tensors([args, kwargs])),
        outputs=tuple(one.shape for one in cost.outputs),
        dtype=cost.outputs[0].dtype if cost.outputs else "",
        macs=cost.macs,
        work=cost.work,
        activation_bytes=stored,
        reason=cost.note or ("" if stored is not None else "strings have no fixed size"),
    )
    return _with_params(row, cost.variables, trainable=call.trainable)


def _with_stored(row: CallCost, layer: KerasLayer | None) -> tuple[CallCost, str]:
    """The parameters beside the stored weights: they agree, or stand in for what is unknown."""
    if layer is None:
        return row, ""
    kept = [one for one in layer.weights if not one.name.endswith(_SEEDS)]
    sizes = [(_elements(one.shape), one.trainable) for one in kept]
    trained = sum(size for size, trains in sizes if trains)
    every = sum(size for size, _ in sizes)
    if row.params is None:
        # without stored weights there may be none, or they may be elsewhere
        return (
            (replace(row, trainable=trained, non_trainable=every - trained), "")
            if kept
            else (row, "")
        )
    if row.params == every:
        return row, ""
    text = f"{row.layer}: {every:,} weights are stored, its config asks for {row.params:,}"
    return row, text


def _elements(shape: Sequence[int]) -> int:
    product = 1
    for size in shape:
        product *= size
    return product
