"""The lanes of one host between two times, as sums that those of other hosts can be added to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.self_time import self_times
from tfprof.analyses.timeline.event_filters import Filters, picked
from tfprof.analyses.timeline.lanes import lanes, merged
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import ALL_STREAMS, short_names
from tfprof.model.op_names import NO_NAME, kind_of
from tfprof.model.units import as_micros
from tfprof.model.xspace import HOST_THREADS, Plane, Space
from tfprof.results.partial import both
from tfprof.results.timeline import Lane, NamedPlace

Ints = npt.NDArray[np.int64]

_STRETCHES = 600
_NAMED = 6


class LaneKey(NamedTuple):
    """Where a lane stands: its host, its plane, its place in it."""

    host: int
    plane: int
    place: int


class Longest(NamedTuple):
    """An event by what it took itself, negative: the longest comes first. Picoseconds."""

    minus_own: int
    begin: int
    end: int
    name: str


@frozen_dataclass
class LaneSums:
    """Picoseconds; `boxes` is how long the lane was busy in each stretch of the window."""

    device: str
    thread: str
    events: int
    boxes: tuple[int, ...]
    longest: tuple[Longest, ...]

    @property
    def busy_ps(self) -> int:
        return sum(self.boxes)

    def merge(self, other: LaneSums) -> LaneSums:
        """Of events that did not run at the same time, such as two halves of a file."""
        return LaneSums(
            self.device,
            self.thread,
            self.events + other.events,
            tuple(map(sum, zip(self.boxes, other.boxes, strict=True))),
            tuple(sorted((*self.longest, *other.longest))[:_NAMED]),
        )


@frozen_dataclass
class LanesPartial:
    """`span` is the length of the window, the same for all that are merged.

    Hosts have clocks of their own: nothing here tells when the window began. `devices` are those
    of all planes, also without a lane: they decide how much of a name is needed.
    """

    span: int
    lanes: Mapping[LaneKey, LaneSums] = field(default_factory=dict)
    devices: frozenset[str] = frozenset()

    def merge(self, other: LanesPartial) -> LanesPartial:
        """The lanes of both: in any order and any tree the same."""
        if self.span != other.span:
            raise ValueError(f"windows of {self.span} and {other.span} ps cannot be merged")
        lanes = both(self.lanes, other.lanes, LaneSums.merge)
        return LanesPartial(self.span, lanes, self.devices | other.devices)

    def finish(self) -> tuple[Lane, ...]:
        """The lanes in the order of the files, devices by their short names."""
        short = short_names(sorted(self.devices))
        seen: Counter[tuple[str, str]] = Counter()
        found = []
        for _, lane in sorted(self.lanes.items()):
            device = short[lane.device]
            seen[device, lane.thread] += 1
            found.append(self._finished(lane, device, seen[device, lane.thread]))
        return tuple(found)

    def _finished(self, lane: LaneSums, device: str, number: int) -> Lane:
        whole, busy = max(1, self.span), lane.busy_ps
        widths = np.maximum(np.diff(_edges(self.span)), 1)
        return Lane(
            device,
            lane.thread,
            lane.events,
            as_micros(busy),
            number,
            busy / whole,
            tuple((np.array(lane.boxes) / widths).tolist()),
            tuple(NamedPlace(one.begin / whole, one.end / whole, one.name) for one in lane.longest),
        )


def host_lanes(space: Space, filters: Filters, begin: int, end: int, host: int = 0) -> LanesPartial:
    """What the filters leave, and of it what lies between the times. `host` orders hosts."""
    found = {
        LaneKey(host, at, place): lane
        for at, plane in enumerate(space.planes)
        for place, lane in enumerate(_lanes_of(plane, filters, begin, end))
    }
    devices = frozenset(_device(plane) for plane in space.planes if len(plane.events))
    return LanesPartial(end - begin, found, devices)


def _lanes_of(plane: Plane, filters: Filters, begin: int, end: int) -> Iterator[LaneSums]:
    for one in picked(plane, filters):
        start = plane.events.start_ps[one.rows]
        stop = start + plane.events.duration_ps[one.rows]
        lane = lanes(start, stop, nested=not plane.is_placed)
        title = plane.line_name(one.line)
        for number in range(int(lane.max()) + 1):
            mine = lane == number
            rows = one.rows[mine]
            busy = merged(np.maximum(start[mine], begin), np.minimum(stop[mine], end))
            yield LaneSums(
                _device(plane),
                f"{title} ({number + 1})" if number else title,
                len(rows),
                _boxes(busy[0] - begin, busy[1] - begin, end - begin),
                tuple(sorted(_longest(plane, rows, begin, end))),
            )


def _device(plane: Plane) -> str:
    known = plane.name == HOST_THREADS or plane.is_device or plane.is_placed
    return plane.device.removesuffix(ALL_STREAMS) if known else plane.name


@lru_cache(maxsize=1)
def _edges(span: int) -> Ints:
    return np.array([span * at // _STRETCHES for at in range(_STRETCHES + 1)], np.int64)


def _boxes(starts: Ints, stops: Ints, span: int) -> tuple[int, ...]:
    """How long of each stretch the lane was busy, in whole picoseconds."""
    edges = _edges(span)
    last = np.searchsorted(starts, edges, side="right") - 1
    before = np.cumsum(stops - starts) - (stops - starts)
    until = before[last] + np.minimum(edges, stops[last]) - starts[last]
    return tuple(np.diff(np.where(last >= 0, until, 0)).tolist())


def _longest(plane: Plane, rows: Ints, begin: int, end: int) -> Iterator[Longest]:
    start, duration = plane.events.start_ps[rows], plane.events.duration_ps[rows]
    own = self_times(np.zeros(len(start), np.int64), start, duration)
    for at in np.argsort(-own, kind="stable")[:_NAMED].tolist():
        first, stop = int(start[at]) - begin, int(start[at] + duration[at]) - begin
        name = kind_of(plane.name_of(int(rows[at]))) or NO_NAME
        yield Longest(-int(own[at]), max(0, first), min(end - begin, stop), name)
