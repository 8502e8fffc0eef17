"""A capture to be looked at in time: lanes, their events in levels of detail, counters and steps.

Times are in `quantum_ns` nanoseconds from the first event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass

Ints = npt.NDArray[np.int64]
ArgValue = int | float | str


@frozen_dataclass
class NameOfLane:
    name: str
    own_us: float


@frozen_dataclass
class LaneOfTracks:
    """`tracks` is how deep its events are nested; `top` are names with the most own time."""

    process: int
    name: str
    tracks: int
    events: int
    busy_us: float
    share: float
    top: tuple[NameOfLane, ...]


@frozen_dataclass
class ProcessOfLanes:
    name: str
    is_device: bool


@frozen_dataclass
class EventNames:
    """What events are called, of which kind they are, how many there are and what they took."""

    name: Sequence[str]
    kind: Ints
    kinds: Sequence[str]
    count: Ints
    own_us: npt.NDArray[np.float64]

    def columns(self) -> Mapping[str, object]:
        return {
            "name": list(self.name),
            "kind": self.kind.astype(np.uint8),
            "kinds": list(self.kinds),
            "count": self.count,
            "own_us": self.own_us,
        }


@frozen_dataclass
class TrackLevel:
    """Row by row an event or a stretch, by track and start; `count` above 1 is a stretch."""

    grain: int
    first: Ints
    start: Ints
    duration: Ints
    name: Ints
    count: Ints
    busy: Ints

    def columns(self) -> Mapping[str, object]:
        """Starts as differences: a column of small numbers takes less room than one that rises."""
        merged = self.count > 1
        return {
            "grain": self.grain,
            "first": self.first.astype(np.uint32),
            "start": np.diff(self.start, prepend=0).astype(np.int64).astype(np.uint32),
            "duration": self.duration.astype(np.uint32),
            "name": self.name.astype(
                np.uint16 if self.name.max(initial=0) < 1 << 16 else np.uint32
            ),
            "count": np.where(merged, self.count, 0).astype(np.uint32),
            "busy": np.where(merged, self.busy, 0).astype(np.uint32),
        }


@frozen_dataclass
class Counter:
    """Bytes in use from each time on; of very many the highest of each stretch."""

    process: str
    name: str
    time: Ints
    value: Ints

    def columns(self) -> Mapping[str, object]:
        return {
            "process": self.process,
            "name": self.name,
            "time": self.time.astype(np.uint32),
            "value": self.value.astype(np.float64),
        }


@frozen_dataclass
class StepMark:
    number: int
    begin: float
    end: float


@frozen_dataclass
class TimelineTracks:
    """`args` are what is said of the longest events, by their rows of the finest level.

    Of `events` in the capture, `merged` are not there themselves, but in stretches.
    """

    quantum_ns: int
    span: int
    events: int
    merged: int
    processes: tuple[ProcessOfLanes, ...]
    lanes: tuple[LaneOfTracks, ...]
    names: EventNames
    levels: tuple[TrackLevel, ...]
    counters: tuple[Counter, ...]
    steps: tuple[StepMark, ...]
    args: Mapping[int, Sequence[tuple[str, ArgValue]]]
    notes: tuple[str, ...]

    def columns(self) -> Mapping[str, object]:
        return {one.name: getattr(self, one.name) for one in fields(self)}
