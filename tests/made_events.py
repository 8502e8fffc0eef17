"""Event files with scalars, written without TensorFlow: its records, checksums and both forms."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tfprof.wire.crc32c import crc32c, masked
from tfprof.wire.schema import message_class

Point = tuple[int, float, str, float]


def record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + _sum(length) + data + _sum(data)


def _sum(data: bytes) -> bytes:
    return struct.pack("<I", masked(crc32c(np.frombuffer(data, np.uint8))))


def event_file(path: Path, points: Iterable[Point], *, as_tensors: bool = False) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(event_bytes(points, as_tensors=as_tensors))
    return path


def event_bytes(points: Iterable[Point], *, as_tensors: bool = False) -> bytes:
    """Points are step, seconds since 1970, tag and value."""
    made = message_class("Event")
    events = [made(wall_time=1_700_000_000.0, file_version="brain.Event:2")]
    for step, wall_s, tag, value in points:
        event = made(wall_time=wall_s, step=step)
        one = event.summary.value.add(tag=tag)
        if as_tensors:
            tensor = message_class("TensorProto")(dtype=1)
            tensor.tensor_shape.SetInParent()
            tensor.tensor_content = struct.pack("<f", value)
            one.tensor = tensor.SerializeToString()
        else:
            one.simple_value = value
        events.append(event)
    return b"".join(record(one.SerializeToString()) for one in events)


def training_log(
    steps: int = 1000,
    every: int = 10,
    a_step: float = 0.02,
    begin: float = 1_794_900_000.0,
    first: int = 0,
    longer: dict[int, float] | None = None,
) -> list[Point]:
    """A loss each `every` steps; after the steps of `longer` it takes so many seconds more."""
    points, wall_s = list[Point](), begin
    for step in range(first, first + steps + 1, every):
        points.append((step, wall_s, "loss", 2.0 / (1 + step / 100)))
        wall_s += every * a_step
        wall_s += sum(more for at, more in (longer or {}).items() if step <= at < step + every)
    return points
