"""What is known of a layer class: its outputs, variables and work, from its config alone.

A rule is a function registered in the file of its family. A class without one is reported by name,
never guessed. Operations of the functional API (`keras.ops`) are registered apart from layers,
since both have an `Add`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from tfprof.model.dims import Size, is_positive, packed, product
from tfprof.wire import dtypes

Config = Mapping[str, Any]
Sizes = tuple[Size, ...]


class Unknown(Exception):
    """A cost that the file does not tell; the text says why."""


@dataclass(frozen=True, slots=True)
class Tensor:
    shape: Sizes
    dtype: str = "float32"

    @property
    def elements(self) -> Size:
        return count(self.shape)


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    shape: tuple[int, ...]
    trained: bool = True

    @property
    def elements(self) -> int:
        return whole(count(self.shape), self.name)


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one call. `macs` are multiplications with an addition, `work` all else that is floating.

    `work` is None if a function is involved that is not known; `note` says which.
    """

    outputs: tuple[Tensor, ...]
    variables: tuple[Variable, ...] = ()
    macs: Size = 0
    work: Size | None = 0
    note: str = ""


class Engine(Protocol):
    """What a rule may ask of the pass over the model."""

    def inner(self, entry: object, inputs: Sequence[Tensor], *, trainable: bool) -> Cost:
        """The cost of a wrapped layer or model."""
        ...

    def same(self, one: Size, other: Size) -> Size:
        """Two sizes that have to be one; which of them stays."""
        ...


class Call:
    """One call of a layer as a rule sees it."""

    __slots__ = ("args", "class_name", "config", "engine", "kwargs", "trainable")

    def __init__(
        self,
        class_name: str,
        config: Config,
        args: Sequence[object],
        kwargs: Mapping[str, object],
        engine: Engine,
        *,
        trainable: bool = True,
    ) -> None:
        self.class_name, self.config, self.engine = class_name, config, engine
        self.args, self.kwargs, self.trainable = args, kwargs, trainable

    @property
    def inputs(self) -> list[Tensor]:
        """The tensors among the arguments, in order, lists opened."""
        return tensors([*self.args, *self.kwargs.values()])

    @property
    def x(self) -> Tensor:
        inputs = self.inputs
        if not inputs:
            raise Unknown(f"{self.class_name} is called without a tensor")
        return inputs[0]

    def argument(self, name: str, place: int, absent: Any = None) -> Any:  # noqa: ANN401  (JSON)
        """An argument of an operation: from its config, by name or by place."""
        if name in self.config:
            return self.config[name]
        if name in self.kwargs:
            return self.kwargs[name]
        return self.args[place] if place < len(self.args) else absent

    # the config, with what stands for an absent entry

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

    # what the rule answers with

    @property
    def dtype(self) -> str:
        """What the layer computes in; operations follow their inputs."""
        stated = compute_dtype(self.config.get("dtype"))
        if stated:
            return stated
        floating = [t.dtype for t in self.inputs if is_floating(t.dtype)]
        return floating[0] if floating else self.inputs[0].dtype if self.inputs else "float32"

    def made(self, *shape: Size) -> Tensor:
        """An output in the data type of the layer."""
        return Tensor(shape, self.dtype)

    def moved(self, *shape: Size) -> Tensor:
        """An output of values that are only moved: whole numbers stay whole."""
        kept = self.x.dtype
        return Tensor(shape, self.dtype if is_floating(kept) else kept)

    def cost(
        self,
        *outputs: Tensor,
        variables: Sequence[Variable] = (),
        macs: Size = 0,
        work: Size | None = 0,
        note: str = "",
    ) -> Cost:
        return Cost(outputs, tuple(variables), macs, work, note)


Rule = Callable[[Call], Cost]
_LAYERS: dict[str, Rule] = {}
_OPERATIONS: dict[str, Rule] = {}


def _registered(registry: dict[str, Rule], names: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        for name in names.split():
            if name in registry:
                raise ValueError(f"{name!r} has two rules")
            registry[name] = rule
        return rule

    return register


def layer(names: str) -> Callable[[Rule], Rule]:
    """The rule of some layer classes, split at blanks."""
    return _registered(_LAYERS, names)


def operation(names: str) -> Callable[[Rule], Rule]:
    """The rule of some operations of the functional API."""
    return _registered(_OPERATIONS, names)


def layer_rules() -> Mapping[str, Rule]:
    from tfprof.analyses.keras_layers import every_family  # noqa: F401  (registers them)

    return MappingProxyType(_LAYERS)


def operation_rules() -> Mapping[str, Rule]:
    from tfprof.analyses.keras_layers import every_family  # noqa: F401  (registers them)

    return MappingProxyType(_OPERATIONS)


# --- what rules are written with


def count(shape: Sequence[Size]) -> Size:
    found = product(tuple(shape))
    return 1 if found is None else found


def whole(size: Size, what: str) -> int:
    """A size that has to be a number."""
    if isinstance(size, int) and size >= 0:
        return size
    raise Unknown(f"{what} is {size}, which is not a number of its own")


def positive(size: Size, what: str) -> Size:
    """A size, unless it is surely none."""
    if isinstance(size, int) and not is_positive(size):
        raise Unknown(f"{what} would be {size}")
    return size


def tensors(value: object) -> list[Tensor]:
    found: list[Tensor] = []
    stack: list[object] = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, Tensor):
            found.append(one)
        elif isinstance(one, dict):
            stack += reversed(list(one.values()))
        elif isinstance(one, list | tuple):
            stack += reversed(one)
    return found


def axis_of(axis: object, rank: int) -> int:
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise Unknown(f"there is no axis {axis} in {rank} dimensions")
    return axis % rank


def axes_of(axis: object, rank: int) -> list[int]:
    """One axis, several, or all."""
    if axis is None:
        return list(range(rank))
    listed = axis if isinstance(axis, list | tuple) else [axis]
    return sorted({axis_of(one, rank) for one in listed})


def broadcast(call: Call, *shapes: Sequence[Size]) -> Sizes:
    """Shapes stretched over each other; sizes that are both open have to be the same."""
    rank = max(len(shape) for shape in shapes)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    result = []
    for sizes in zip(*padded, strict=True):
        size: Size = 1
        for one in sizes:
            if one != 1:
                size = one if size == 1 else call.engine.same(size, one)
        result.append(size)
    return tuple(result)


def compute_dtype(policy: object) -> str:
    """`mixed_float16` computes in float16; empty if nothing is stated."""
    if isinstance(policy, dict):
        config = policy.get("config")
        policy = config.get("name") if isinstance(config, dict) else None
    if not isinstance(policy, str):
        return ""
    name = policy.rpartition("_from_")[2].removeprefix("mixed_")
    return name if dtypes.number(name) else ""


def is_floating(dtype: str) -> bool:
    number = dtypes.number(dtype)
    return number is not None and dtypes.is_floating(number)


def bytes_of(tensor: Tensor) -> Size | None:
    """The memory of a tensor; None for strings."""
    number = dtypes.number(tensor.dtype)
    return None if number is None else packed(tensor.elements, number)
