"""All events of a capture in tracks: one depth of one lane each, in which nothing overlaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.self_time import holders, own_times
from tfprof.analyses.timeline.event_filters import Filters, Picked, picked
from tfprof.analyses.timeline.lanes import lanes
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.xspace import Plane, Space

Ints = npt.NDArray[np.int64]

# further inside nobody looks; what is there counts for the event around it
DEEPEST = 60


@frozen_dataclass
class TrackLane:
    """A lane of a plane, which is a row of the capture; `number` tells those of one line apart."""

    plane: int
    line: str
    number: int


@frozen_dataclass
class Tracks:
    """Row by row an event, by lane, depth and start. Times are picoseconds on the capture's clock.

    `plane` and `row` lead to where it stands in the capture, `own` is without those inside it.
    """

    lanes: Sequence[TrackLane]
    lane: Ints
    depth: Ints
    start: Ints
    duration: Ints
    own: Ints
    plane: Ints
    row: Ints

    def __len__(self) -> int:
        return len(self.lane)

    @property
    def track(self) -> Ints:
        """The number of each event's track, counted through."""
        new = (np.diff(self.lane) != 0) | (np.diff(self.depth) != 0)
        return np.append(0, np.cumsum(new)) if len(self) else np.zeros(0, np.int64)


def tracks(space: Space, filters: Filters) -> Tracks:
    """Devices first, as their streams are what a model waits for; of threads the busiest first."""
    found: list[TrackLane] = []
    parts: list[list[Ints]] = []
    order = sorted(range(len(space.planes)), key=lambda at: not space.planes[at].is_device)
    for at in order:
        plane = space.planes[at]
        for one in _in_order(plane, list(picked(plane, filters))):
            parts += _lanes_of(at, plane, one, found)
    if not parts:
        none = np.zeros(0, np.int64)
        return Tracks((), none, none, none, none, none, none, none)
    columns = [np.concatenate([part[at] for part in parts]) for at in range(len(parts[0]))]
    lane, depth, start = columns[:3]
    by_track = np.lexsort((start, depth, lane))
    return Tracks(found, *(column[by_track] for column in columns))


def _in_order(plane: Plane, every: list[Picked]) -> list[Picked]:
    """Streams by name; of threads there may be hundreds, most of them idle."""
    if plane.is_device:
        return every
    return sorted(every, key=lambda one: -int(plane.events.duration_ps[one.rows].sum()))


def _lanes_of(at: int, plane: Plane, one: Picked, found: list[TrackLane]) -> Iterator[list[Ints]]:
    start, duration = plane.events.start_ps[one.rows], plane.events.duration_ps[one.rows]
    lane = lanes(start, start + duration, nested=not plane.is_placed)
    for number in range(int(lane.max()) + 1):
        mine = np.flatnonzero(lane == number)
        holder = holders(np.zeros(len(mine), np.int64), start[mine], (start + duration)[mine])
        depth = _depths(holder)
        own = own_times(holder, duration[mine])
        kept = depth <= DEEPEST
        here = np.full(len(mine), len(found))
        columns = (here, depth, start[mine], duration[mine], own, np.full(len(mine), at))
        found.append(TrackLane(at, plane.line_name(one.line), number))
        yield [column[kept] for column in (*columns, one.rows[mine])]


def _depths(holder: Ints) -> Ints:
    """How many are around each event."""
    depth = np.zeros(len(holder), np.int64)
    inside = np.flatnonzero(holder >= 0)
    around = holder[inside]
    while len(inside):
        depth[inside] += 1
        around = holder[around]
        inside, around = inside[around >= 0], around[around >= 0]
    return depth
