"""One call of a layer: what a rule reads of it, and what it writes down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, Protocol

from tfprof.frozen_dataclass import frozen_dataclass, mutable_dataclass
from tfprof.keras_layers.sizes import Unknown, broadcast, count, tensors, whole
from tfprof.model.dims import Size
from tfprof.ops.attributes import attribute
from tfprof.ops.rule import FLOAT, INT32, Call, Tensor, rules
from tfprof.wire import dtypes

Config = Mapping[str, Any]
Sizes = tuple[Size, ...]
Attributes = Mapping[str, object]

# a number: what an activation adds or multiplies with
SCALAR = Tensor(())


@frozen_dataclass
class Variable:
    """`name` is within its layer: `kernel`, `query/kernel`."""

    name: str
    shape: tuple[int, ...]
    trained: bool = True
    dtype: int = FLOAT

    @property
    def elements(self) -> int:
        return whole(count(self.shape), self.name)


@frozen_dataclass
class LayerOp:
    """An op that a layer runs, so many `times` where it is in a loop.

    `work` is counted by hand, for what TensorFlow has no op of; None where `ops/` knows. A `loop`
    says what its rounds are made of.
    """

    call: Call
    times: Size = 1
    work: Size | None = None
    loop: LayerLoop | None = None


@frozen_dataclass
class LayerLoop:
    """`carried` is what goes round, as a round finds it; `results` are the same as it leaves them.

    The ops of condition and body stand among the others of the layer as well.
    """

    carried: Sequence[Tensor]
    results: Sequence[Tensor]
    trips: Size
    condition: Sequence[LayerOp]
    body: Sequence[LayerOp]


@mutable_dataclass
class Sheet:
    """What one call of a layer comes to."""

    ops: list[LayerOp] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    # how many ops have had a name
    names: Counter[str] = field(default_factory=Counter)
    # why the work of some of the ops is not known
    note: str = ""


class Model(Protocol):
    """What a rule may ask of the model around its layer."""

    training: bool

    def handle(self, name: str, variable: Variable, *, trains: bool) -> tuple[Tensor, bool]:
        """The handle of a variable, and whether it is new: a layer called twice has it once."""
        ...

    def inner(
        self,
        around: Layer,
        entry: object,
        inputs: Sequence[Tensor],
        name: str,
        mask: Tensor | None = None,
    ) -> list[Tensor]:
        """Writes down a wrapped layer or model, by its entry in the config."""
        ...

    def same(self, one: Size, other: Size) -> Size:
        """Two sizes that have to be one; which of them stays."""
        ...


class Layer:
    """One call of a layer as a rule sees it. Ops and variables go to its `sheet`."""

    __slots__ = ("_scopes", "_times", "args", "class_name", "config", "kwargs", "model", "name",
                 "path", "sheet", "trainable", "within")  # fmt: skip

    def __init__(  # noqa: PLR0913  (all that a call consists of)
        self,
        class_name: str,
        config: Config,
        args: Sequence[object],
        kwargs: Mapping[str, object],
        model: Model,
        *,
        name: str = "",
        path: str = "",
        within: str = "",
        trainable: bool = True,
        sheet: Sheet | None = None,
    ) -> None:
        """`name` is of this call, `path` of the layer; `within` leads through wrappers to it."""
        self.class_name, self.config, self.model = class_name, config, model
        self.args, self.kwargs, self.trainable = args, kwargs, trainable
        self.name, self.path, self.within = name, path, within
        self.sheet = Sheet() if sheet is None else sheet
        self._times: Size = 1
        self._scopes: list[str] = []

    # --- what it is called with

    @property
    def inputs(self) -> list[Tensor]:
        """The tensors among the arguments, in order, lists opened; masks are no data."""
        named = [one for name, one in self.kwargs.items() if not name.endswith("mask")]
        return tensors([*self.args, *named])

    @property
    def x(self) -> Tensor:
        inputs = self.inputs
        if not inputs:
            raise Unknown(f"{self.class_name} is called without a tensor")
        return inputs[0]

    @property
    def mask(self) -> Tensor | None:
        """Which of the steps are there."""
        found = self.kwargs.get("mask")
        return found if isinstance(found, Tensor) else None

    @property
    def shape(self) -> Sizes:
        """Of the first input."""
        return shape_of(self.x)

    @property
    def training(self) -> bool:
        """Whether this is written down for a training step."""
        return self.model.training

    def argument(self, name: str, place: int, absent: Any = None) -> Any:  # noqa: ANN401  (JSON)
        """An argument of an operation: from its config, by name or by place."""
        if name in self.config:
            return self.config[name]
        if name in self.kwargs:
            return self.kwargs[name]
        return self.args[place] if place < len(self.args) else absent

    # --- the config, with what stands for an absent entry

    def integer(self, name: str, absent: int | None = None) -> int:
        value = self.config.get(name, absent)
        if isinstance(value, bool) or not isinstance(value, int):
            raise Unknown(f"{self.class_name} has no whole number {name!r}")
        return value

    def integers(self, name: str, rank: int, absent: int = 1) -> list[int]:
        """A number for each of `rank` dimensions; one stands for all."""
        value = self.config.get(name)
        value = absent if value is None else value
        if isinstance(value, int):
            return [value] * rank
        if isinstance(value, list | tuple) and len(value) == rank:
            return [int(entry) for entry in value]
        raise Unknown(f"{self.class_name} has no {rank} numbers {name!r}")

    def flag(self, name: str, *, absent: bool = False) -> bool:
        value = self.config.get(name)
        return absent if value is None else bool(value)

    def text(self, name: str, absent: str = "") -> str:
        value = self.config.get(name)
        return value if isinstance(value, str) else absent

    @property
    def channels_first(self) -> bool:
        return self.config.get("data_format") == "channels_first"

    @property
    def dtype(self) -> int:
        """What the layer computes in; operations follow their inputs."""
        stated = compute_dtype(self.config.get("dtype"))
        if stated:
            return stated
        given = [one.dtype for one in self.inputs]
        return next((one for one in given if is_floating(one)), given[0] if given else FLOAT)

    # --- what it holds

    def declare(self, name: str, shape: Sequence[int], *, trained: bool = True) -> Variable:
        """A variable that this call does not read."""
        full = f"{self.within}{name}"
        held = variable_dtype(self.config.get("dtype"))
        found = Variable(full, tuple(shape), trained and self.trainable, held)
        self.sheet.variables.append(found)
        return found

    def weight(self, name: str, shape: Sequence[int], *, trained: bool = True) -> Tensor:
        """A variable's value, in the data type that the layer computes in."""
        variable = self.declare(name, shape, trained=trained)
        full = f"{self.path}/{variable.name}"
        handle, is_new = self.model.handle(full, variable, trains=variable.trained)
        if is_new:
            made = Call(full, "VarHandleOp", [])
            made.outputs = [handle]
            self.sheet.ops.append(LayerOp(made))
        read = Tensor(variable.shape, variable.dtype, variable=full)
        self.ops("ReadVariableOp", handle, outputs=[read])
        wanted = self.dtype
        return read if wanted == variable.dtype else self.op("Cast", read, dtype=wanted)

    # --- what it runs

    def op(
        self,
        op: str,
        *inputs: Tensor,
        shape: Sequence[Size] | None = None,
        dtype: int = 0,
        attributes: Attributes | None = None,
        **stated: object,
    ) -> Tensor:
        """An op with one output; its shape follows from its rule in `ops/` unless stated."""
        outputs = None
        if shape is not None:
            outputs = [Tensor(tuple(shape), dtype or self._follows(inputs))]
        known = {**(attributes or {}), **stated}
        return self.ops(op, *inputs, outputs=outputs, dtype=dtype, attributes=known)[0]

    def ops(
        self,
        op: str,
        *inputs: Tensor,
        outputs: Sequence[Tensor] | None = None,
        dtype: int = 0,
        work: Size | None = None,
        attributes: Attributes | None = None,
        **stated: object,
    ) -> Sequence[Tensor]:
        """An op with several outputs; attributes are plain numbers, texts and lists."""
        known = {**(attributes or {}), **stated}
        given = {name: attribute(value) for name, value in known.items()}
        call = Call(self._named(op), op, inputs, lambda: given)
        call.outputs = self._inferred(call, dtype) if outputs is None else outputs
        self.sheet.ops.append(LayerOp(call, self._times, work))
        return call.outputs

    def each(self, op: str, *inputs: Tensor, dtype: int = 0) -> Tensor:
        """An element-wise op: inputs stretch over each other, and open sizes that meet are one."""
        shape = broadcast(self.model.same, *(shape_of(one) for one in inputs))
        return self.op(op, *inputs, shape=shape, dtype=dtype)

    def by_hand(
        self, what: str, *inputs: Tensor, shape: Sequence[Size], work: Size, dtype: int = 0
    ) -> Tensor:
        """Something that TensorFlow has no op of its own for, with a count that is ours."""
        made = [Tensor(tuple(shape), dtype or self._follows(inputs))]
        return self.ops(f"keras.{what}", *inputs, outputs=made, work=work)[0]

    def reshaped(self, x: Tensor, *shape: Size) -> Tensor:
        """The same values in another shape."""
        return x if x.shape == shape else self.op("Reshape", x, numbers(*shape), shape=shape)

    def transposed(self, x: Tensor, *order: int) -> Tensor:
        return self.op("Transpose", x, numbers(*order))

    def unknown(self, reason: str) -> None:
        """The work of something that was written down is not known."""
        self.sheet.note = self.sheet.note or reason

    @contextmanager
    def inside(self, scope: str, times: Size = 1) -> Iterator[None]:
        """Ops of a loop's body: their names lead through it, and they run in every round."""
        before = self._times
        self._scopes.append(scope)
        self._times = before * times
        try:
            yield
        finally:
            self._scopes.pop()
            self._times = before

    def wrapped(
        self, entry: object, *inputs: Tensor, name: str = "", mask: Tensor | None = None
    ) -> list[Tensor]:
        """The outputs of a layer or model inside this one."""
        return self.model.inner(self, entry, inputs, name, mask)

    def part(self, class_name: str, config: Config, *inputs: Tensor, within: str = "") -> Layer:
        """A layer in the same place of the same sheet, as the cell of a loop is in its body."""
        trainable = self.trainable and bool(config.get("trainable", True))
        made = Layer(
            class_name, config, inputs, {}, self.model, name=self.name, path=self.path,
            within=f"{self.within}{within}", trainable=trainable, sheet=self.sheet,
        )  # fmt: skip
        made._scopes, made._times = self._scopes, self._times
        return made

    def same(self, one: Size, other: Size) -> Size:
        return self.model.same(one, other)

    def _named(self, op: str) -> str:
        """As in a graph: the second of a name has a number behind it. Loops are their scope."""
        name = "/".join([self.name, *self._scopes, op])
        before = self.sheet.names[name]
        self.sheet.names[name] += 1
        return f"{name}_{before}" if before and op != "While" else name

    def _inferred(self, call: Call, dtype: int) -> list[Tensor]:
        rule = rules().get(call.op)
        found = rule.infer(call) if rule is not None else []
        if not found or any(one.shape is None or None in one.shape for one in found):
            raise Unknown(f"the shape that {call.op} makes does not follow from its inputs")
        follows = dtype or self._follows(call.inputs)
        return [
            one
            if one.dtype and not dtype
            else Tensor(one.shape, follows, one.value, one.holds, one.length)
            for one in found
        ]

    def _follows(self, inputs: Sequence[Tensor]) -> int:
        """The data type of an output: that of the numbers that go in."""
        given = [one.dtype for one in inputs if one is not SCALAR and one.dtype]
        floating = (one for one in given if is_floating(one))
        return next(floating, given[0] if given else self.dtype)


def shape_of(tensor: Tensor) -> Sizes:
    """A shape that is known: tensors of a layer have no other."""
    return tuple(0 if size is None else size for size in tensor.shape or ())


def numbers(*values: Size) -> Tensor:
    """A constant that a shape is made of."""
    return Tensor((len(values),), INT32, value=values)


def number(value: Size) -> Tensor:
    return Tensor((), INT32, value=(value,))


def compute_dtype(policy: object) -> int:
    """`mixed_float16` computes in float16; 0 if nothing is stated."""
    if isinstance(policy, dict):
        config = policy.get("config")
        policy = config.get("name") if isinstance(config, dict) else None
    if not isinstance(policy, str):
        return 0
    return dtypes.number(policy.rpartition("_from_")[2].removeprefix("mixed_")) or 0


def computes_in_half(policy: object) -> bool:
    """Keras scales the loss of a model by itself under `mixed_float16`, and only then."""
    mixed = compute_dtype(policy) != variable_dtype(policy)
    return mixed and compute_dtype(policy) == dtypes.number("float16")


def variable_dtype(policy: object) -> int:
    """What a layer keeps its variables in: a mixed policy keeps them whole."""
    if isinstance(policy, dict):
        config = policy.get("config")
        policy = config.get("name") if isinstance(config, dict) else None
    stated = compute_dtype(policy)
    is_mixed = isinstance(policy, str) and policy.startswith("mixed_")
    return FLOAT if is_mixed or not is_floating(stated) else stated


def is_floating(dtype: int) -> bool:
    return dtypes.is_floating(dtypes.base(dtype))
