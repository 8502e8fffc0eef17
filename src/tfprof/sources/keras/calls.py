"""How the layers of a Keras model are connected: each call with the outputs that it takes.

Models inside models are opened, a shared layer is called more than once, and no code is executed.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tfprof.model.keras_model import KerasCall, KerasCalls, Ref
from tfprof.sources.keras.config import Config, entries_of, shape_of
from tfprof.sources.keras.nodes import (
    CHAINS,
    Given,
    KerasTensor,
    arguments,
    given,
    is_model,
    name_of,
    renumbered,
    replaced,
    tensors_in,
    tensors_named,
)
from tfprof.wire.json_values import as_object

_DEEPEST = 50
_MOST_CALLS = 100_000


@dataclass(slots=True)
class _Frame:
    """One use of a model: `given` are the tensors it is called with, none for the outermost."""

    number: int
    entry: Config
    prefix: str
    trainable: bool
    order: tuple[int, ...]
    given: list[KerasTensor] | None = None
    outer: tuple[int, str, int] | None = None

    @property
    def config(self) -> Config:
        return as_object(self.entry.get("config"))


_Key = tuple[int, str, int]


class _Flow:
    """Collects the calls of a model and of those inside; `stands_for` leads past the models."""

    def __init__(self) -> None:
        self.calls: dict[_Key, tuple[tuple[int, ...], KerasCall]] = {}
        self.stands_for: dict[_Key, list[KerasTensor]] = {}
        self.frames: list[_Frame] = []
        self.opened = 0

    def enter(self, frame: _Frame) -> None:
        config = frame.config
        chain = frame.entry.get("class_name") in CHAINS or "output_layers" not in config
        outputs = self._chain(frame) if chain else self._functional(frame)
        if frame.outer is not None:
            self.stands_for[frame.outer] = outputs

    def _chain(self, frame: _Frame) -> list[KerasTensor]:
        entries = list(entries_of(frame.entry, ""))
        last: KerasTensor | None = None
        if frame.given is not None:
            last = frame.given[0] if frame.given else None
        elif not entries or entries[0].get("class_name") != "InputLayer":
            entries.insert(0, _made_input(frame.entry, entries))
        for place, entry in enumerate(entries):
            if entry.get("class_name") == "InputLayer" and frame.given is not None:
                continue
            built = as_object(entry.get("build_config")).get("input_shape")
            args = () if last is None else (replace(last, stated=shape_of(built)),)
            self._call(frame, entry, (place, 0), args, {})
            last = KerasTensor(frame.number, name_of(entry), 0, 0)
        if last is None:
            return []
        return [replace(last, output=-1) if last.frame == frame.number else last]

    def _functional(self, frame: _Frame) -> list[KerasTensor]:
        config = frame.config
        inputs = tensors_named(config.get("input_layers"), frame.number)
        if frame.given is not None:
            for inner, outer in zip(inputs, frame.given, strict=False):
                self.stands_for[inner.key] = [outer]
        listed = []
        for place, entry in enumerate(entries_of(frame.entry, "")):
            nodes = entry.get("inbound_nodes")
            nodes = nodes if isinstance(nodes, list) else []
            listed.append((place, entry, [arguments(node, frame.number) for node in nodes]))
        outputs = tensors_named(config.get("output_layers"), frame.number)
        of_calls, of_outputs = renumbered(listed, outputs)
        for place, entry, calls in listed:
            if entry.get("class_name") == "InputLayer" and not calls:
                if (frame.number, name_of(entry), 0) not in self.stands_for:
                    self._call(frame, entry, (place, 0), (), {})
                continue
            for number, (args, kwargs) in enumerate(calls):
                shifted = tuple(replaced(arg, of_calls) for arg in args)
                named = {name: replaced(value, of_calls) for name, value in kwargs.items()}
                self._call(frame, entry, (place, number), shifted, named)
        return tensors_in([of_outputs(output) for output in outputs], KerasTensor)

    def _call(
        self,
        frame: _Frame,
        entry: Config,
        place: tuple[int, int],
        args: tuple[object, ...],
        kwargs: Given,
    ) -> None:
        config, name = as_object(entry.get("config")), name_of(entry)
        path = "/".join(filter(None, (frame.prefix, str(config.get("name") or name))))
        trains = frame.trainable and bool(config.get("trainable", True))
        order = frame.order + place
        key = (frame.number, name, place[1])
        if is_model(entry) and len(frame.order) < 2 * _DEEPEST:
            self.opened += 1
            outer = given(args, kwargs)
            self.frames.append(_Frame(self.opened, entry, path, trains, order, outer, key))
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

    def source(self, tensor: KerasTensor) -> tuple[_Key, int] | None:
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
    trains = bool(as_object(model.get("config")).get("trainable", True))
    flow.frames.append(_Frame(0, model, "", trains, (), outer=(-1, "", 0)))
    while flow.frames:
        flow.enter(flow.frames.pop())
        if len(flow.calls) + flow.opened > _MOST_CALLS:
            return KerasCalls(missing=f"the model makes more than {_MOST_CALLS:,} calls")
    rows = _sorted(flow)
    row_of = {key: row for row, key in enumerate(rows)}

    def ref(tensor: object) -> object:
        if not isinstance(tensor, KerasTensor):
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
        args = tuple(replaced(arg, ref) for arg in call.args)
        kwargs = {name: replaced(value, ref) for name, value in call.kwargs.items()}
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
            for t in tensors_in((call.args, dict(call.kwargs)), KerasTensor)
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


def _made_input(model: Config, entries: Sequence[Config]) -> Config:
    """The input of a chain without an input layer: what it, or its first layer, was built for."""
    first = as_object(entries[0].get("config")) if entries else {}
    shape = (
        first.get("batch_input_shape")
        or as_object(model.get("config")).get("build_input_shape")
        or as_object(model.get("build_config")).get("input_shape")
    )
    dtype = "int32" if entries and entries[0].get("class_name") == "Embedding" else "float32"
    config = {"name": "input", "batch_shape": shape, "dtype": dtype}
    return {"class_name": "InputLayer", "name": "input", "config": config}
