"""A run as tracks in levels of detail: as much of it as a number of bytes has room for."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.timeline.event_filters import last_end
from tfprof.analyses.timeline.levels import Level, at_most, coarser
from tfprof.analyses.timeline.tracks import Tracks, tracks
from tfprof.model import units
from tfprof.model.profile import ProfileData
from tfprof.model.units import NS_A_MICROSECOND, PS_A_MICROSECOND, PS_A_NANOSECOND
from tfprof.reports.timeline.asked import Timeline, nothing_left
from tfprof.reports.timeline.query import Query
from tfprof.reports.timeline.slices import arg_columns, args_of, named
from tfprof.results.timeline_tracks import (
    ArgValue,
    Counter,
    EventNames,
    LaneOfTracks,
    NameOfLane,
    ProcessOfLanes,
    StepMark,
    TimelineTracks,
    TrackLevel,
)
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]

# more than a page should unpack before anybody looks
_MOST_EVENTS = 1_600_000
# the finest grain that is tried, and that of the level above
_FINEST_NS, _FINEST_SEEN_NS = 250, 1000
# so few need no thinning
_FEW = 1_000
_A_LITTLE_LESS = 0.9
# of the room, for the finest level; those above it, names and counters take the rest
_SHARE = 0.6
_BASE64 = 4 / 3
_WITH_ARGS = 2_000
_POINTS = 3_000
_NAMED = 5


def in_tracks(data: ProfileData, room: int) -> TimelineTracks:
    asked = Timeline(data, Query())
    found = tracks(asked.space, asked.filters(None))
    if not len(found):
        raise nothing_left()
    clock = _Clock(asked)
    names = _Names(asked, found)
    exact = Level.exact(
        found.track, clock.at(found.start), clock.lasting(found.duration), names.of_events
    )
    finest = _within(room * _SHARE, exact, clock.grain(_FINEST_NS))
    levels = [finest, *coarser(finest, clock.grain(_FINEST_SEEN_NS))]
    merged = int(finest.count[finest.count > 1].sum())
    processes, lanes = _lanes(asked, found, names, clock)
    return TimelineTracks(
        clock.quantum_ns,
        clock.span,
        len(found),
        merged,
        processes,
        lanes,
        names.told(),
        tuple(_level(one, len(distinct(found.track))) for one in levels),
        tuple(_counters(asked, clock)),
        tuple(
            StepMark(one.number, clock.one(one.begin), clock.one(one.end)) for one in asked.steps
        ),
        _args(asked, found, finest),
        tuple(_notes(asked, found, finest, clock)),
    )


class _Clock:
    """Times that 32 bits hold: nanoseconds, or a few of them where a capture is longer than 4 s."""

    def __init__(self, asked: Timeline) -> None:
        self._zero = asked.zero
        length_ns = max(1, -(-(last_end(asked.space) - asked.zero) // PS_A_NANOSECOND))
        self.quantum_ns = -(-length_ns // (1 << 32))
        self.span = -(-length_ns // self.quantum_ns)
        self._unit = self.quantum_ns * PS_A_NANOSECOND

    def at(self, time_ps: Ints) -> Ints:
        return (time_ps - self._zero) // self._unit

    def lasting(self, duration_ps: Ints) -> Ints:
        return -(-duration_ps // self._unit)

    def one(self, time_ps: int) -> float:
        return (time_ps - self._zero) / self._unit

    def grain(self, nanoseconds: int) -> int:
        return max(1, nanoseconds // self.quantum_ns)


class _Names:
    """What events are called over all planes: the same name of the same kind is one."""

    def __init__(self, asked: Timeline, found: Tracks) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self.of_events = np.zeros(len(found), np.int64)
        for at, plane in enumerate(asked.space.planes):
            mine = np.flatnonzero(found.plane == at)
            if len(mine):
                used, place = np.unique(plane.events.name[found.row[mine]], return_inverse=True)
                numbers = [
                    self._number(plane.event_names.name[row], plane) for row in used.tolist()
                ]
                self.of_events[mine] = np.array(numbers, np.int64)[place.reshape(-1)]
        weights = found.own / PS_A_MICROSECOND
        self._count = np.bincount(self.of_events, minlength=len(self._numbers))
        own = np.bincount(self.of_events, weights, minlength=len(self._numbers))
        self._own = own.astype(np.float64)

    def _number(self, name: str, plane: object) -> int:
        one = named(plane, name)  # type: ignore[arg-type]
        return self._numbers.setdefault((one.name, one.category), len(self._numbers))

    def __getitem__(self, number: int) -> str:
        return self.list[number]

    @property
    def list(self) -> Sequence[str]:
        return [name for name, _ in self._numbers]

    def told(self) -> EventNames:
        kinds = list(dict.fromkeys(kind for _, kind in self._numbers))
        kind = np.array([kinds.index(one) for _, one in self._numbers], np.int64)
        return EventNames(self.list, kind, kinds, self._count, self._own)


def _within(room: float, exact: Level, grain: int) -> Level:
    """As fine as there is room for: what columns take is known once they are packed."""
    most = _MOST_EVENTS
    while True:
        level = at_most(exact, most, grain)
        takes = _packed(level)
        if takes <= room or len(level) < _FEW:
            return level
        most = int(len(level) * _A_LITTLE_LESS * room / takes)


def _packed(level: Level) -> float:
    merged = level.count > 1
    columns = (
        np.diff(level.start, prepend=0),
        level.duration,
        level.name,
        np.where(merged, level.count, 0),
        np.where(merged, level.busy, 0),
    )
    return sum(len(zlib.compress(one.astype(np.uint32).tobytes(), 6)) for one in columns) * _BASE64


def _level(level: Level, tracks_: int) -> TrackLevel:
    first = np.searchsorted(level.track, np.arange(tracks_ + 1))
    return TrackLevel(
        level.grain, first, level.start, level.duration, level.name, level.count, level.busy
    )


def _lanes(
    asked: Timeline, found: Tracks, names: _Names, clock: _Clock
) -> tuple[tuple[ProcessOfLanes, ...], tuple[LaneOfTracks, ...]]:
    planes = asked.space.planes
    several = len(asked.space.hosts) > 1
    used = list(dict.fromkeys(one.plane for one in found.lanes))
    processes = tuple(
        ProcessOfLanes(
            f"{planes[at].name} ({planes[at].host})" if several else planes[at].name,
            planes[at].is_device,
        )
        for at in used
    )
    list_ = names.list
    whole = clock.span * clock.quantum_ns / NS_A_MICROSECOND
    bounds = np.searchsorted(found.lane, np.arange(len(found.lanes) + 1)).tolist()
    lanes = []
    for number, lane in enumerate(found.lanes):
        mine = slice(bounds[number], bounds[number + 1])
        outer = found.depth[mine] == 0
        busy = float(found.duration[mine][outer].sum()) / PS_A_MICROSECOND
        own = np.bincount(names.of_events[mine], found.own[mine]) / PS_A_MICROSECOND
        most = np.argsort(-own, kind="stable")[:_NAMED].tolist()
        lanes.append(
            LaneOfTracks(
                used.index(lane.plane),
                f"{lane.line} ({lane.number + 1})" if lane.number else lane.line,
                int(found.depth[mine].max(initial=0)) + 1,
                bounds[number + 1] - bounds[number],
                busy,
                busy / whole,
                tuple(NameOfLane(list_[one], float(own[one])) for one in most if own[one] > 0),
            )
        )
    return processes, tuple(lanes)


def _counters(asked: Timeline, clock: _Clock) -> Iterator[Counter]:
    for at, counters in asked.counters.items():
        for one in counters:
            if len(one.time_ps):
                time, value = _thinned(clock.at(one.time_ps), one.value)
                yield Counter(asked.space.planes[at].name, one.name, time, value)


def _thinned(time: Ints, value: Ints) -> tuple[Ints, Ints]:
    """Of each stretch the highest value, which is what people look for, and the last."""
    if len(time) <= _POINTS:
        return time, value
    first = np.linspace(0, len(time), _POINTS // 2, endpoint=False).astype(np.int64)
    highest = np.maximum.reduceat(value, first)
    run = np.searchsorted(first, np.arange(len(value)), side="right") - 1
    tops = np.flatnonzero(value == highest[run])
    top = tops[np.append(True, np.diff(run[tops]) != 0)]
    kept = distinct(np.concatenate([top, np.append(first[1:] - 1, len(time) - 1)]))
    return time[kept], value[kept]


def _args(
    asked: Timeline, found: Tracks, finest: Level
) -> dict[int, Sequence[tuple[str, ArgValue]]]:
    """Of the longest events that are there themselves."""
    alone = np.flatnonzero(finest.count == 1)
    longest = alone[np.argsort(-finest.duration[alone], kind="stable")[:_WITH_ARGS]]
    event = finest.first[longest]
    told: dict[int, Sequence[tuple[str, ArgValue]]] = {}
    for at in distinct(found.plane[event]).tolist():
        plane = asked.space.planes[at]
        mine = np.flatnonzero(found.plane[event] == at)
        by_row = mine[np.argsort(found.row[event[mine]])]
        rows = found.row[event[by_row]]
        for place, values in args_of(arg_columns(plane, all_args=False), rows).items():
            told[int(longest[by_row[place]])] = values
    return told


def _notes(asked: Timeline, found: Tracks, finest: Level, clock: _Clock) -> Iterator[str]:
    merged = finest.count > 1
    if merged.any():
        shorter = units.duration(finest.grain * clock.quantum_ns / NS_A_MICROSECOND)
        yield (
            f"{int(finest.count[merged].sum()):,} of {len(found):,} events are shorter than "
            f"{shorter}: they are merged into {int(merged.sum()):,} stretches, to keep the page "
            "small. `tfprof timeline -o all.trace.json.gz` has them all."
        )
    left = asked.space.event_count - len(found)
    if left:
        yield f"{left:,} events that tell no time are left out, such as ThreadpoolListener."
