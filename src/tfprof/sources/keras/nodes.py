"""The nodes of a Keras config: which outputs a layer is called with, in Keras 2 and in Keras 3."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import Shape
from tfprof.sources.keras.config import Config, shape_of
from tfprof.wire.json_values import as_object

# what a layer is called with: JSON that has tensors in it
Given = Mapping[str, object]
Change = Callable[[object], object]
_T = TypeVar("_T")

CHAINS = ("Sequential", "Pipeline")
_DEEPEST_ARGUMENT = 20


@frozen_dataclass
class KerasTensor:
    """An output of a call, by names: of the model `frame`, of a layer in it, of one call of that.

    An output of -1 is whichever is asked for: a chain hands on all that its last layer gives.
    """

    frame: int
    layer: str
    call: int
    output: int
    stated: Shape | None = None

    @property
    def key(self) -> tuple[int, str, int]:
        return self.frame, self.layer, self.call


def is_model(entry: Config) -> bool:
    """Whether an entry is a chain or a graph of layers, rather than a layer."""
    config = as_object(entry.get("config"))
    if not isinstance(config.get("layers"), list):
        return False
    return entry.get("class_name") in CHAINS or "output_layers" in config


def name_of(entry: Config) -> str:
    config = as_object(entry.get("config"))
    return str(entry.get("name") or config.get("name") or entry.get("class_name", "layer"))


def tensors_named(refs: object, frame: int) -> list[KerasTensor]:
    """The tensors that `input_layers` or `output_layers` name, in the order of Keras."""
    found: list[KerasTensor] = []
    stack = [refs]
    while stack:
        one = stack.pop()
        tensor = _as_tensor(one, frame)
        if tensor is not None:
            found.append(tensor)
        elif isinstance(one, dict):
            stack += [one[name] for name in sorted(one, key=str, reverse=True)]
        elif isinstance(one, list):
            stack += reversed(one)
    return found


def _as_tensor(value: object, frame: int) -> KerasTensor | None:
    """`["dense", 0, 0]`, perhaps with arguments behind it."""
    if not isinstance(value, list) or len(value) not in (3, 4):
        return None
    name, call, output = value[:3]
    if isinstance(name, str) and isinstance(call, int) and isinstance(output, int):
        return KerasTensor(frame, name, call, output)
    return None


def arguments(node: object, frame: int) -> tuple[tuple[object, ...], Given]:
    """What a layer is called with: Keras 3 writes args and kwargs, Keras 2 a list of tensors."""

    def of_keras_3(value: object) -> object:
        if isinstance(value, dict) and value.get("class_name") == "__keras_tensor__":
            config = as_object(value.get("config"))
            tensor = _as_tensor(config.get("keras_history"), frame)
            return (
                value if tensor is None else replace(tensor, stated=shape_of(config.get("shape")))
            )
        return value

    def of_keras_2(value: object) -> object:
        tensor = _as_tensor(value, frame)
        return value if tensor is None else tensor

    if isinstance(node, dict):
        args, kwargs = node.get("args"), as_object(node.get("kwargs"))
        listed = args if isinstance(args, list) else []
        return tuple(replaced(arg, of_keras_3) for arg in listed), {
            name: replaced(value, of_keras_3) for name, value in kwargs.items()
        }
    if not isinstance(node, list):
        return (), {}
    rows = [node] if node and isinstance(node[0], str) else node
    extra: dict[str, object] = {}
    first: list[object] = []
    for row in rows:
        if not isinstance(row, list) or len(row) < 3:
            continue
        first.append(row[2] if row[0] == "_CONSTANT_VALUE" else _as_tensor(row[:3], frame))
        if len(row) > 3:
            extra |= as_object(row[3])
    named = {name: replaced(value, of_keras_2) for name, value in extra.items()}
    return (first[0] if len(first) == 1 else first,), named


def replaced(value: object, change: Change, depth: int = 0) -> object:
    """JSON with some of its parts changed; what is nested too deep is left alone."""
    changed = change(value)
    if changed is not value or depth > _DEEPEST_ARGUMENT:
        return changed
    if isinstance(value, list | tuple):
        return [replaced(part, change, depth + 1) for part in value]
    if isinstance(value, dict):
        return {name: replaced(part, change, depth + 1) for name, part in value.items()}
    return value


def tensors_in(value: object, kind: type[_T]) -> list[_T]:
    """The tensors in the arguments of a call, in order."""
    found: list[_T] = []
    stack: list[object] = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, kind):
            found.append(one)
        elif isinstance(one, dict):
            stack += reversed(one.values())
        elif isinstance(one, list | tuple):
            stack += reversed(one)
    return found


def given(args: Sequence[object], kwargs: Given) -> list[KerasTensor]:
    """The tensors that a model is called with; those in a dictionary in the order of their keys."""
    return _flat(args[0] if args else kwargs.get("inputs"))


def _flat(value: object) -> list[KerasTensor]:
    found: list[KerasTensor] = []
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, KerasTensor):
            found.append(one)
        elif isinstance(one, dict):
            stack += [one[name] for name in sorted(one, key=str, reverse=True)]
        elif isinstance(one, list | tuple):
            stack += reversed(one)
    return found


Listed = list[tuple[int, Config, list[tuple[tuple[object, ...], Given]]]]


def renumbered(listed: Listed, outputs: list[KerasTensor]) -> tuple[Change, Change]:
    """Count the calls of a model inside from 0: one for the references of calls, one for outputs.

    A functional model has a first call of its own, which is no call in the file. Keras 3 counts it
    where it lists outputs, Keras 2 everywhere.
    """
    models = {name_of(entry): (entry, len(calls)) for _, entry, calls in listed if is_model(entry)}
    if not models:
        return (lambda value: value), (lambda value: value)
    taken: dict[str, set[int]] = {}
    for _, _, calls in listed:
        for tensor in tensors_in(calls, KerasTensor):
            taken.setdefault(tensor.layer, set()).add(tensor.call)
    handed: dict[str, set[int]] = {}
    for tensor in outputs:
        handed.setdefault(tensor.layer, set()).add(tensor.call)
    late_calls, late_outputs = set(), set()
    for name, (entry, count) in models.items():
        if max(taken.get(name, {0})) >= count:
            late_calls.add(name)
        chain = entry.get("class_name") in CHAINS
        seen = handed.get(name, {0})
        if 0 not in seen and (not chain or max(seen) >= count):
            late_outputs.add(name)

    def shifting(late: set[str]) -> Change:
        def shift(value: object) -> object:
            if isinstance(value, KerasTensor) and value.layer in late:
                return replace(value, call=value.call - 1)
            return value

        return shift

    return shifting(late_calls), shifting(late_outputs)
