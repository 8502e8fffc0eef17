"""Scalars of event files: a plain number, or a tensor without dimensions as TensorFlow 2 has it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tfprof.model.event_scalars import EventScalars, ScalarSeries
from tfprof.wire import dtypes
from tfprof.wire.schema import Proto, message_class

# of a longer log every second point is kept, then every fourth, ...
_MOST_POINTS = 1 << 14
_MOST_TAGS = 1_000
_LONGEST_TAG = 1_000
# bytes of a tensor that holds one number
_MOST_BYTES = 256
_LATEST_S, _LARGEST_STEP = float(1 << 40), 1 << 62
_STORED = {
    "float32": "<f4", "float64": "<f8", "float16": "<f2", "int32": "<i4", "int64": "<i8",
    "int16": "<i2", "int8": "i1", "uint8": "u1", "uint16": "<u2", "uint32": "<u4",
    "uint64": "<u8", "bool": "?",
}  # fmt: skip
_VALUES = (
    "float_val",
    "double_val",
    "int_val",
    "int64_val",
    "uint32_val",
    "uint64_val",
    "bool_val",
)


class Points:
    """The points of one tag, thinned out when they are too many; the last one is always kept."""

    def __init__(self) -> None:
        self._kept: list[tuple[int, float, float]] = []
        self._last: tuple[int, float, float] | None = None
        self._every, self._seen = 1, 0

    def add(self, step: int, wall_s: float, value: float) -> None:
        self._last = step, wall_s, value
        if self._seen % self._every == 0:
            self._kept.append(self._last)
            if len(self._kept) > _MOST_POINTS:
                self._kept = self._kept[::2]
                self._every *= 2
        self._seen += 1

    def series(self) -> ScalarSeries:
        points = [*self._kept]
        if self._last is not None and points[-1] is not self._last:
            points.append(self._last)
        steps, walls, values = zip(*points, strict=True)
        return ScalarSeries(
            np.array(steps, np.int64), np.array(walls, np.float64), np.array(values, np.float64)
        )


class Scalars:
    """What is found while a file is read."""

    def __init__(self) -> None:
        self._points: dict[str, Points] = {}

    def add(self, event: Proto) -> None:
        step, wall_s = event.step, event.wall_time
        if not 0 < wall_s < _LATEST_S or not 0 <= step < _LARGEST_STEP:
            return
        for one in event.summary.value:
            value = _number(one)
            if value is None or len(one.tag) > _LONGEST_TAG:
                continue
            if one.tag not in self._points and len(self._points) >= _MOST_TAGS:
                continue
            self._points.setdefault(one.tag, Points()).add(step, wall_s, value)

    def found(self, path: Path, traced: tuple[int, ...]) -> EventScalars | None:
        if not self._points:
            return None
        return EventScalars(path, {tag: one.series() for tag, one in self._points.items()}, traced)


def _number(value: Proto) -> float | None:
    kind = value.WhichOneof("value")
    if kind == "simple_value":
        return float(value.simple_value)
    if kind != "tensor" or len(value.tensor) > _MOST_BYTES:
        return None
    return _of_tensor(value.tensor)


def _of_tensor(data: bytes) -> float | None:
    """None for what is no number, or more than one."""
    from google.protobuf.message import DecodeError

    try:
        tensor = message_class("TensorProto").FromString(data)
    except DecodeError:
        return None
    if tensor.tensor_shape.dim or tensor.tensor_shape.unknown_rank:
        return None
    stored = _STORED.get(dtypes.name(tensor.dtype))
    if stored is None:
        return None
    if tensor.tensor_content:
        size = np.dtype(stored).itemsize
        if len(tensor.tensor_content) != size:
            return None
        return float(np.frombuffer(tensor.tensor_content, stored)[0])
    found = [one for name in _VALUES for one in getattr(tensor, name)]
    return float(found[0]) if len(found) == 1 else None
