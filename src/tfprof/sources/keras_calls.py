"""How the layers of a Keras model are connected: each call with the outputs that it takes.

Models inside models are opened, a shared layer is called more than once, and no code is executed.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tfprof.model.graph import Shape
from tfprof.model.keras_model import KerasCall, KerasCalls, Ref
from tfprof.sources.keras_config import entries_of, mapping, shape_of

Config = Mapping[str, Any]
_T = TypeVar("_T")

_CHAINS = ("Sequential", "Pipeline")
_DEEPEST = 50
_DEEPEST_ARGUMENT = 20
_MOST_CALLS = 100_000


@dataclass(frozen=True, slots=True)
class _Tensor:
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


@dataclass(slots=True)
class _Frame:
    """One use of a model: `given` are the tensors it is called with, none for the outermost."""

    number: int
    entry: Config
    prefix: str
    trainable: bool
    order: tuple[int, ...]
    given: list[_Tensor] | None = None
    outer: tuple[int, str, int] | None = None

    @property
    def config(self) -> Config:
        return mapping(self.entry.get("config"))


_Key = tuple[int, str, int]


class _Flow:
    """Collects the calls of a model and of those inside; `stands_for` leads past the models."""

    def __init__(self) -> None:
        self.calls: dict[_Key, tuple[tuple[int, ...], KerasCall]] = {}
        self.stands_for: dict[_Key, list[_Tensor]] = {}
        self.frames: list[_Frame] = []
        self.opened = 0

    def open(self, frame: _Frame) -> None:
        config = frame.config
        chain = frame.entry.get("class_name") in _CHAINS or "output_layers" not in config
        outputs = self._chain(frame) if chain else self._functional(frame)
        if frame.outer is not None:
            self.stands_for[frame.outer] = outputs

    def _chain(self, frame: _Frame) -> list[_Tensor]:
        entries = list(entries_of(frame.entry, ""))
        last: _Tensor | None = None
        if frame.given is not None:
            last = frame.given[0] if frame.given else None
        elif not entries or entries[0].get("class_name") != "InputLayer":
            entries.insert(0, _made_input(frame.entry, entries))
        for place, entry in enumerate(entries):
            if entry.get("class_name") == "InputLayer" and frame.given is not None:
                continue
            name = _name(entry)
            args = () if last is None else (last,)
            self._call(frame, entry, (place, 0), args, {})
            last = _Tensor(frame.number, name, 0, 0)
        if last is None:
            return []
        return [replace(last, output=-1) if last.frame == frame.number else last]

    def _functional(self, frame: _Frame) -> list[_Tensor]:
        config = frame.config
        inputs = _named(config.get("input_layers"), frame.number)
        if frame.given is not None:
            for inner, outer in zip(inputs, frame.given, strict=False):
                self.stands_for[inner.key] = [outer]
        for place, entry in enumerate(entries_of(frame.entry, "")):
            nodes = entry.get("inbound_nodes")
            nodes = nodes if isinstance(nodes, list) else []
            if entry.get("class_name") == "InputLayer" and not nodes:
                if (frame.number, _name(entry), 0) not in self.stands_for:
                    self._call(frame, entry, (place, 0), (), {})
                continue
            for number, node in enumerate(nodes):
                args, kwargs = _arguments(node, frame.number)
                self._call(frame, entry, (place, number), args, kwargs)
        return _named(config.get("output_layers"), frame.number)

    def _call(
        self,
        frame: _Frame,
        entry: Config,
        place: tuple[int, int],
        args: tuple[Any, ...],
        kwargs: Config,
    ) -> None:
        config, name = mapping(entry.get("config")), _name(entry)
        path = "/".join(filter(None, (frame.prefix, str(config.get("name") or name))))
        trains = frame.trainable and bool(config.get("trainable", True))
        order = frame.order + place
        key = (frame.number, name, place[1])
        if is_model(entry) and len(frame.order) < 2 * _DEEPEST:
            self.opened += 1
            given = _given(args, kwargs)
            self.frames.append(_Frame(self.opened, entry, path, trains, order, given, key))
            return
        self.calls[key] = (
            order,
            KerasCall(
                path,
                str(entry.get("class_name", "?")),
                str(entry.get("module") or ""),
                place[1],
                trains,
                config,
                args,
                kwargs,
            ),
        )

    def source(self, tensor: _Tensor) -> tuple[_Key, int] | None:
        """The call that makes a tensor, behind all models that only hand it on."""
        seen = set()
        while (found := self.stands_for.get(tensor.key)) is not None:
            if tensor in seen or tensor.output >= len(found) > 1 or not found:
                return None
            seen.add(tensor)
            inner = found[tensor.output] if len(found) > 1 else found[0]
            tensor = replace(inner, output=tensor.output) if inner.output == -1 else inner
        return (tensor.key, tensor.output) if tensor.key in self.calls else None


def calls_of(model: Config) -> KerasCalls:
    """Every call of every layer, each after those whose outputs it takes."""
    if not is_model(model):
        return KerasCalls()
    flow = _Flow()
    trains = bool(mapping(model.get("config")).get("trainable", True))
    flow.frames.append(_Frame(0, model, "", trains, (), outer=(-1, "", 0)))
    while flow.frames:
        flow.open(flow.frames.pop())
        if len(flow.calls) + flow.opened > _MOST_CALLS:
            return KerasCalls(missing=f"the model makes more than {_MOST_CALLS:,} calls")
    rows = _sorted(flow)
    row_of = {key: row for row, key in enumerate(rows)}

    def ref(tensor: object) -> object:
        if not isinstance(tensor, _Tensor):
            return tensor
        found = flow.source(tensor)
        if found is None:
            return Ref(-1, 0, tensor.stated)
        return Ref(row_of[found[0]], max(0, found[1]), tensor.stated)

    counts: dict[str, int] = {}
    calls = []
    for key in rows:
        call = flow.calls[key][1]
        number = counts.get(call.layer, 0)
        counts[call.layer] = number + 1
        args = tuple(_replaced(arg, ref) for arg in call.args)
        kwargs = {name: _replaced(value, ref) for name, value in call.kwargs.items()}
        calls.append(replace(call, number=number, args=args, kwargs=kwargs))
    outputs = [ref(tensor) for tensor in flow.stands_for.get((-1, "", 0), [])]
    return KerasCalls(tuple(calls), tuple(o for o in outputs if isinstance(o, Ref)), "")


def _sorted(flow: _Flow) -> list[_Key]:
    """Callers after what they call for, else as in the file; what is left hangs in a circle."""
    readers: dict[_Key, list[_Key]] = {}
    waits: dict[_Key, int] = {}
    for key, (_, call) in flow.calls.items():
        sources = {
            s[0]
            for t in tensors_in((call.args, dict(call.kwargs)), _Tensor)
            if (s := flow.source(t)) is not None
        }
        waits[key] = len(sources)
        for source in sources:
            readers.setdefault(source, []).append(key)
    ready = [(flow.calls[key][0], key) for key, count in waits.items() if not count]
    heapq.heapify(ready)
    rows = []
    while ready:
        _, key = heapq.heappop(ready)
        rows.append(key)
        for reader in readers.get(key, ()):
            waits[reader] -= 1
            if not waits[reader]:
                heapq.heappush(ready, (flow.calls[reader][0], reader))
    placed = set(rows)
    return rows + [key for key in flow.calls if key not in placed]


def is_model(entry: Config) -> bool:
    """Whether an entry is a chain or a graph of layers, rather than a layer."""
    config = mapping(entry.get("config"))
    if not isinstance(config.get("layers"), list):
        return False
    return entry.get("class_name") in _CHAINS or "output_layers" in config


def _given(args: tuple[Any, ...], kwargs: Config) -> list[_Tensor]:
    """The tensors that a model is called with; those in a dictionary in the order of their keys."""
    return _flat(args[0] if args else kwargs.get("inputs"))


def _flat(value: object) -> list[_Tensor]:
    found: list[_Tensor] = []
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, _Tensor):
            found.append(one)
        elif isinstance(one, dict):
            stack += [one[name] for name in sorted(one, reverse=True)]
        elif isinstance(one, list | tuple):
            stack += reversed(one)
    return found


def _name(entry: Config) -> str:
    config = mapping(entry.get("config"))
    return str(entry.get("name") or config.get("name") or entry.get("class_name", "layer"))


def _made_input(model: Config, entries: Sequence[Config]) -> Config:
    """The input of a chain without an input layer: what it, or its first layer, was built for."""
    first = mapping(entries[0].get("config")) if entries else {}
    shape = (
        first.get("batch_input_shape")
        or mapping(model.get("config")).get("build_input_shape")
        or mapping(model.get("build_config")).get("input_shape")
    )
    dtype = "int32" if entries and entries[0].get("class_name") == "Embedding" else "float32"
    config = {"name": "input", "batch_shape": shape, "dtype": dtype}
    return {"class_name": "InputLayer", "name": "input", "config": config}


def _named(refs: object, frame: int) -> list[_Tensor]:
    """The tensors that `input_layers` or `output_layers` name, in the order of Keras."""
    found: list[_Tensor] = []
    stack = [refs]
    while stack:
        one = stack.pop()
        tensor = _as_tensor(one, frame)
        if tensor is not None:
            found.append(tensor)
        elif isinstance(one, dict):
            stack += [one[name] for name in sorted(one, reverse=True)]
        elif isinstance(one, list):
            stack += reversed(one)
    return found


def _as_tensor(value: object, frame: int) -> _Tensor | None:
    """`["dense", 0, 0]`, perhaps with arguments behind it."""
    if not isinstance(value, list) or len(value) not in (3, 4):
        return None
    name, call, output = value[:3]
    if isinstance(name, str) and isinstance(call, int) and isinstance(output, int):
        return _Tensor(frame, name, call, output)
    return None


def _arguments(node: object, frame: int) -> tuple[tuple[Any, ...], Config]:
    """What a layer is called with: Keras 3 writes args and kwargs, Keras 2 a list of tensors."""

    def of_keras_3(value: object) -> object:
        if isinstance(value, dict) and value.get("class_name") == "__keras_tensor__":
            config = mapping(value.get("config"))
            tensor = _as_tensor(config.get("keras_history"), frame)
            return (
                value if tensor is None else replace(tensor, stated=shape_of(config.get("shape")))
            )
        return value

    def of_keras_2(value: object) -> object:
        tensor = _as_tensor(value, frame)
        return value if tensor is None else tensor

    if isinstance(node, dict):
        args, kwargs = node.get("args"), mapping(node.get("kwargs"))
        listed = args if isinstance(args, list) else []
        return tuple(_replaced(arg, of_keras_3) for arg in listed), {
            name: _replaced(value, of_keras_3) for name, value in kwargs.items()
        }
    if not isinstance(node, list):
        return (), {}
    rows = [node] if node and isinstance(node[0], str) else node
    extra: dict[str, Any] = {}
    first: list[Any] = []
    for row in rows:
        if not isinstance(row, list) or len(row) < 3:
            continue
        first.append(row[2] if row[0] == "_CONSTANT_VALUE" else _as_tensor(row[:3], frame))
        if len(row) > 3:
            extra |= mapping(row[3])
    kwargs = {name: _replaced(value, of_keras_2) for name, value in extra.items()}
    return (first[0] if len(first) == 1 else first,), kwargs


def _replaced(value: Any, change: Any, depth: int = 0) -> Any:  # noqa: ANN401  (JSON is anything)
    """JSON with some of its parts changed; what is nested too deep is left alone."""
    changed = change(value)
    if changed is not value or depth > _DEEPEST_ARGUMENT:
        return changed
    if isinstance(value, list | tuple):
        return [_replaced(part, change, depth + 1) for part in value]
    if isinstance(value, dict):
        return {name: _replaced(part, change, depth + 1) for name, part in value.items()}
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
