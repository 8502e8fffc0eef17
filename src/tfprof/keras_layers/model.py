"""A model's calls, one after the other: each rule is asked once its inputs are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from tfprof.frozen_dataclass import frozen_dataclass, mutable_dataclass
from tfprof.keras_layers.layer import (
    Layer,
    LayerOp,
    Sheet,
    Variable,
    compute_dtype,
    is_floating,
    shape_of,
)
from tfprof.keras_layers.rule import rule_of
from tfprof.keras_layers.sizes import Unknown, tensors
from tfprof.model.dims import BATCH, Dim, Size, at, symbol, symbols
from tfprof.model.graph import Shape
from tfprof.model.keras_model import KerasCall, Ref
from tfprof.ops.attributes import shape as stated_shape
from tfprof.ops.rule import FLOAT, Tensor
from tfprof.sources.keras.calls import calls_of
from tfprof.sources.keras.nodes import is_model
from tfprof.wire import dtypes
from tfprof.wire.json_values import Object

INPUT = "InputLayer"
# how the reason begins of a layer that comes after one that is not known
AFTER = "after "
_DEEPEST = 20
_MOST_INNER = 20_000
_MOST_PASSES = 100
_LARGEST = 1 << 63
_DAMAGED = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@frozen_dataclass
class WrittenCall:
    """One call of a layer: what it makes and runs, or the `reason` why that is not known.

    Its variables may be known even then. A `note` says why some work is not in the ops.
    """

    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Tensor, ...] | None = None
    ops: tuple[LayerOp, ...] = ()
    variables: tuple[Variable, ...] | None = None
    reason: str = ""
    note: str = ""


@frozen_dataclass
class WrittenModel:
    """Every call, and the names of the variables that train."""

    calls: list[WrittenCall]
    trained: frozenset[str] = frozenset()


def write(calls: Sequence[KerasCall], *, training: bool = False) -> WrittenModel:
    """A prediction or the forward pass of a training step.

    Open dimensions stay open, as Keras traces its models. Those that have to be the same get one
    name.
    """
    known: dict[str, Size] = {}
    for _ in range(_MOST_PASSES):
        one = _Pass(known, training=training)
        rows = one.run(calls)
        if not one.equal:
            break
        # start again with what is known of the inputs now
        known = {name: at(size, one.equal) for name, size in known.items()} | one.equal
    return WrittenModel(rows, frozenset(one.trained))


@frozen_dataclass
class _Lost:
    """A tensor whose shape is not known, and why; `stated` is what the file says of it."""

    reason: str
    stated: Shape | None = None


_Outputs = tuple[Tensor, ...] | _Lost
_Given = tuple[list[object], dict[str, object]]


@mutable_dataclass
class _Pass:
    """Also the model that rules ask."""

    known: Mapping[str, Size]
    training: bool = False
    equal: dict[str, Size] = field(default_factory=dict)
    trained: set[str] = field(default_factory=set)
    _handles: dict[str, Tensor] = field(default_factory=dict)
    # of open sizes, in order
    _names: dict[str, None] = field(default_factory=dict)
    _inner: int = 0
    _depth: int = 0

    def run(self, calls: Sequence[KerasCall]) -> list[WrittenCall]:
        made: list[_Outputs] = []
        rows = []
        for call in calls:
            row, outputs = self._one(call, made)
            rows.append(row)
            made.append(outputs)
        return rows

    def _one(self, call: KerasCall, made: list[_Outputs]) -> tuple[WrittenCall, _Outputs]:
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
            outputs, sheet = self._written(call, args, kwargs)
        except Unknown as fault:
            reason = str(fault)
        except _DAMAGED:
            reason = f"the config of {call.class_name} is not what this class needs"
        else:
            inputs = tuple(tensors([args, kwargs]))
            parts = (tuple(sheet.ops), tuple(sheet.variables))
            return WrittenCall(inputs, outputs, *parts, note=sheet.note), outputs
        return WrittenCall(reason=reason), _Lost(f"{call.layer}: {reason}")

    def _after(
        self, call: KerasCall, reason: str, args: list[object], kwargs: dict[str, object]
    ) -> tuple[WrittenCall, _Outputs]:
        """The shapes are not known, but what the layer was built for may be in the file."""
        before = dict(self.equal)
        variables = None
        try:
            variables = tuple(self._written(call, args, kwargs)[1].variables)
        except (Unknown, *_DAMAGED):
            variables = None
        self.equal = before
        return WrittenCall(variables=variables, reason=f"{AFTER}{reason}"), _Lost(reason)

    def _written(
        self, call: KerasCall, args: list[object], kwargs: dict[str, object]
    ) -> tuple[tuple[Tensor, ...], Sheet]:
        """What a call makes; its variables are nobody's where it fails."""
        handles, trained = len(self._handles), set(self.trained)
        sheet = Sheet()
        try:
            outputs = self._call(call, args, kwargs, sheet)
            _check(outputs, sheet.variables)
        except (Unknown, *_DAMAGED):
            for name in list(self._handles)[handles:]:
                del self._handles[name]
            self.trained = trained
            raise
        return outputs, sheet

    def _call(
        self, call: KerasCall, args: list[object], kwargs: dict[str, object], sheet: Sheet
    ) -> tuple[Tensor, ...]:
        number = f" (call {call.number + 1})" if call.number else ""
        seen = Layer(
            call.class_name,
            call.config,
            args,
            kwargs,
            self,
            name=call.layer + number,
            path=call.layer,
            trainable=call.trainable,
            sheet=sheet,
        )
        if call.class_name == INPUT:
            return (self._input(seen),)
        return self._ruled(seen, call.module)

    def _ruled(self, call: Layer, module: str) -> tuple[Tensor, ...]:
        rule = rule_of(call, module)
        found = rule(_cast(call))
        return (found,) if isinstance(found, Tensor) else tuple(found)

    def _input(self, call: Layer) -> Tensor:
        stated = call.config.get("batch_shape", call.config.get("batch_input_shape"))
        if not isinstance(stated, list | tuple):
            raise Unknown("the file does not say the shape of the input")
        shape = [
            size if isinstance(size, int) else self._symbol(axis, len(stated))
            for axis, size in enumerate(stated)
        ]
        made = Tensor(tuple(shape), compute_dtype(call.config.get("dtype")) or FLOAT)
        # Keras leaves the batch open
        sizes = [None, *(size if isinstance(size, int) else None for size in shape[1:])]
        return call.ops("Placeholder", outputs=[made], shape=stated_shape(sizes))[0]

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
        self._names[name] = None
        return self.known.get(name, symbol(name))

    # --- what rules ask

    def handle(self, name: str, variable: Variable, *, trains: bool) -> tuple[Tensor, bool]:
        found = self._handles.get(name)
        if found is not None:
            return found, False
        made = Tensor(
            (), dtypes.RESOURCE, holds=Tensor(variable.shape, variable.dtype), variable=name
        )
        self._handles[name] = made
        if trains:
            self.trained.add(name)
        return made, True

    def same(self, one: Size, other: Size) -> Size:
        """What was named first stays; a size that is more than a name stays in any case."""
        one, other = at(one, self.equal), at(other, self.equal)
        if one == other:
            return one
        if isinstance(one, int) and isinstance(other, int):
            raise Unknown(f"the sizes {one} and {other} do not go together")
        sides = [(_only_symbol(one), other), (_only_symbol(other), one)]
        names = list(self._names)
        free = [
            (names.index(name) if name in self._names else len(names), name, kept)
            for name, kept in sides
            if name and name != BATCH and name not in symbols(kept)
        ]
        if not free:
            return other if isinstance(other, int) else one
        _, name, kept = max(free, key=lambda side: side[0])
        replaced = {name: kept}
        self.equal = {old: at(size, replaced) for old, size in self.equal.items()} | replaced
        return kept

    def inner(
        self,
        around: Layer,
        entry: object,
        inputs: Sequence[Tensor],
        name: str,
        mask: Tensor | None = None,
    ) -> list[Tensor]:
        self._inner += 1
        if self._depth > _DEEPEST or self._inner > _MOST_INNER:
            raise Unknown("layers are wrapped too deep")
        if not isinstance(entry, dict):
            raise Unknown("a wrapper holds no layer")
        self._depth += 1
        try:
            if is_model(entry):
                return self._inner_model(around, entry, inputs, name)
            config = entry.get("config")
            first = inputs[0] if len(inputs) == 1 else list(inputs)
            given: _Given = [first], {} if mask is None else {"mask": mask}
            call = self._within(
                around, str(entry.get("class_name")), config, given, name, trainable=True
            )
            return list(self._ruled(call, str(entry.get("module") or "")))
        finally:
            self._depth -= 1

    def _within(
        self,
        around: Layer,
        kind: str,
        config: object,
        given: _Given,
        name: str,
        *,
        trainable: bool,
    ) -> Layer:
        """A layer inside another: its ops and variables are on the same sheet."""
        known = config if isinstance(config, dict) else {}
        step = f"{name}/" if name else ""
        return Layer(
            kind,
            known,
            *given,
            self,
            name=f"{around.name}/{step}".removesuffix("/"),
            path=around.path,
            within=f"{around.within}{step}",
            trainable=around.trainable and trainable and bool(known.get("trainable", True)),
            sheet=around.sheet,
        )

    def _inner_model(
        self, around: Layer, entry: Object, inputs: Sequence[Tensor], name: str
    ) -> list[Tensor]:
        """All of a wrapped model together; its inputs are those of the wrapper."""
        flow = calls_of(entry)
        if flow.missing:
            raise Unknown(flow.missing)
        made: list[_Outputs] = []
        given = iter(inputs)
        counted: set[str] = set()

        def tensor(value: object) -> object:
            found = _output(made, value) if isinstance(value, Ref) else value
            if isinstance(found, _Lost):
                raise Unknown(found.reason)
            return found

        for call in flow.calls:
            self._inner += 1
            if self._inner > _MOST_INNER:
                raise Unknown("layers are wrapped too deep")
            if call.class_name == INPUT:
                made.append((next(given, Tensor(())),))
                continue
            step = f"{name}/{call.layer}" if name else call.layer
            seen = self._within(
                around, call.class_name, call.config, _given(call, tensor), step,
                trainable=call.trainable,
            )  # fmt: skip
            held = len(around.sheet.variables)
            made.append(self._ruled(seen, call.module))
            if call.layer in counted:
                del around.sheet.variables[held:]
            counted.add(call.layer)
        found = [_output(made, ref) for ref in flow.outputs]
        return [one for one in found if isinstance(one, Tensor)]


def _cast(call: Layer) -> Layer:
    """A layer takes what it is given in the data type that it computes in."""
    wanted = compute_dtype(call.config.get("dtype"))
    if not is_floating(wanted):
        return call

    def cast(value: object) -> object:
        if not isinstance(value, Tensor) or not is_floating(value.dtype) or value.dtype == wanted:
            return value
        return call.op("Cast", value, dtype=wanted)

    call.args = [_mapped(one, cast) for one in call.args]
    call.kwargs = {name: _mapped(one, cast) for name, one in call.kwargs.items()}
    return call


def _check(outputs: Sequence[Tensor], variables: Sequence[Variable]) -> None:
    """Sizes that no tensor has are the fault of the layer that asks for them."""
    sizes = [size for tensor in outputs for size in shape_of(tensor)]
    if not all(isinstance(size, int | Dim) for size in sizes):
        raise TypeError
    for size in (*sizes, *(one.elements for one in variables)):
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


def _output(made: list[_Outputs], ref: Ref) -> Tensor | _Lost:
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
    return Tensor(tuple(sizes), FLOAT)


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
