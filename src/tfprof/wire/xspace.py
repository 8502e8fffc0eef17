"""XPlane, the profile of TensorFlow 2: a plane's lines and events as columns.

A capture has millions of events and few names. Events are decoded all together, line by line; the
bytes of their stats are only located, and read when somebody asks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tfprof.wire.fields import Fields, Progress, split, walk, walk_one
from tfprof.wire.ids import Ids
from tfprof.wire.schema import BYTES, VARINT
from tfprof.wire.spans import Spans
from tfprof.wire.xstats import StatTable, read_stats

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

# field numbers
_PLANE_ID, _PLANE_NAME, _LINES, _EVENT_METADATA, _STAT_METADATA, _PLANE_STATS = 1, 2, 3, 4, 5, 6
_LINE_ID, _LINE_NAME, _TIMESTAMP, _EVENTS, _LINE_DURATION = 1, 2, 3, 4, 9
_DISPLAY_ID, _LINE_DISPLAY_NAME = 10, 11
_METADATA, _OFFSET, _DURATION, _EVENT_STATS, _OCCURRENCES = 1, 2, 3, 4, 5
_KEY, _VALUE = 1, 2
_NAME, _DISPLAY_NAME, _METADATA_STATS = 2, 4, 5


@dataclass(frozen=True, slots=True)
class LineColumns:
    """One row a line; its events are the rows from `first` of it to `first` of the next."""

    id: Ints
    display_id: Ints
    name: list[str]
    display_name: list[str]
    timestamp_ns: Ints
    duration_ps: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, slots=True)
class EventColumns:
    """One row an event, line after line; by start in a line, and outer before inner ones.

    `name` is a row of the event names, `offset_ps` counts from the line's timestamp.
    Where a producer only counted, `occurrences` says how often and there is no offset.
    """

    name: Codes
    offset_ps: Ints
    duration_ps: Ints
    occurrences: Ints
    stats_start: Ints
    stats_end: Ints

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True, slots=True)
class NameColumns:
    """What events or stats of a plane are called, and where the whole message lies.

    The last row stands for ids that the file does not explain; its name is empty.
    """

    ids: Ids
    id: Ints
    name: list[str]
    display_name: list[str]
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.name)

    def rows_named(self, name: str) -> list[int]:
        return [row for row, known in enumerate(self.name[:-1]) if known == name]


@dataclass(frozen=True, slots=True)
class PlaneColumns:
    id: int
    name: str
    lines: LineColumns
    events: EventColumns
    event_names: NameColumns
    stat_names: NameColumns
    stats: StatTable


def read_plane(data: bytes, start: int, end: int, progress: Progress | None = None) -> PlaneColumns:
    """The XPlane at `start`..`end` of `data`; a WireFault where it breaks."""
    bounds = np.array([start], np.int64), np.array([end], np.int64)
    fields = split(data, *bounds)
    event_names = _names(data, fields.repeated(_EVENT_METADATA))
    stat_names = _names(data, fields.repeated(_STAT_METADATA))
    lines, starts, ends = _lines(data, fields.repeated(_LINES), progress)
    return PlaneColumns(
        int(fields.ints(_PLANE_ID, 1)[0]),
        Spans(data, *fields.spans(_PLANE_NAME, 1)).texts()[0],
        lines,
        _in_order(lines, _events(data, starts, ends, event_names.ids, progress)),
        event_names,
        stat_names,
        read_stats(data, *bounds, _PLANE_STATS, stat_names.ids),
    )


def event_stats(data: bytes, plane: PlaneColumns) -> StatTable:
    """The stats of all events; an owner is a row of the events."""
    events = plane.events
    return read_stats(
        data, events.stats_start, events.stats_end, _EVENT_STATS, plane.stat_names.ids
    )


def name_stats(data: bytes, plane: PlaneColumns) -> StatTable:
    """The stats that events of one name share; an owner is a row of the event names."""
    names = plane.event_names
    return read_stats(data, names.start, names.end, _METADATA_STATS, plane.stat_names.ids)


def _names(data: bytes, entries: Fields) -> NameColumns:
    inside = split(data, entries.start, entries.end)
    count = len(entries)
    id_ = inside.ints(_KEY, count)
    start, end = inside.spans(_VALUE, count)
    fields = split(data, start, end)
    none = np.zeros(1, np.int64)
    return NameColumns(
        Ids(id_),
        id_,
        [*Spans(data, *fields.spans(_NAME, count)).texts(), ""],
        [*Spans(data, *fields.spans(_DISPLAY_NAME, count)).texts(), ""],
        np.concatenate([start, none]),
        np.concatenate([end, none]),
    )


def _lines(
    data: bytes, messages: Fields, progress: Progress | None
) -> tuple[LineColumns, Ints, Ints]:
    """The lines, and where the events of all of them lie."""
    count = len(messages)
    heads: list[Fields] = []
    starts, ends = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    first = np.zeros(count + 1, np.int64)
    for line in range(count):
        found = 0
        begin, end = int(messages.start[line]), int(messages.end[line])
        for _, fields in walk_one(data, begin, end, progress):
            events = fields.rows(_EVENTS, BYTES)
            starts.append(fields.start[events])
            ends.append(fields.end[events])
            found += len(events)
            heads.append(fields.without(_EVENTS, owner=line))
        first[line + 1] = first[line] + found
    head = Fields.joined(heads)
    lines = LineColumns(
        head.ints(_LINE_ID, count),
        head.ints(_DISPLAY_ID, count),
        Spans(data, *head.spans(_LINE_NAME, count)).texts(),
        Spans(data, *head.spans(_LINE_DISPLAY_NAME, count)).texts(),
        head.ints(_TIMESTAMP, count),
        head.ints(_LINE_DURATION, count),
        first,
    )
    return lines, np.concatenate(starts), np.concatenate(ends)


def _events(
    data: bytes, starts: Ints, ends: Ints, names: Ids, progress: Progress | None
) -> EventColumns:
    count = len(starts)
    name = np.full(count, names.row_of(0), np.int32)
    offset, duration = np.zeros(count, np.int64), np.zeros(count, np.int64)
    counted: list[Fields] = []
    stats_start = ends.copy()
    for position, found in walk(data, starts, ends, progress):
        some = found.some(_METADATA, VARINT)
        name[found.owner[some]] = names.rows_of(found.value[some].view(np.int64))
        for number, column in ((_OFFSET, offset), (_DURATION, duration)):
            some = found.some(number, VARINT)
            column[found.owner[some]] = found.value[some].view(np.int64)
        some = found.some(_EVENT_STATS, BYTES)
        # backwards: of an event's stats the first is written last
        at, first = found.owner[some][::-1], position[some][::-1]
        stats_start[at] = np.minimum(stats_start[at], first)
        if (found.number == _OCCURRENCES).any():
            counted.append(found)
    occurrences = Fields.joined(counted).ints(_OCCURRENCES, count) if counted else _zeros(count)
    return EventColumns(name, offset, duration, occurrences, stats_start, ends)


def _zeros(count: int) -> Ints:
    """A column of zeros that takes no memory; not to be written to."""
    return np.broadcast_to(np.int64(0), (count,))


def _in_order(lines: LineColumns, events: EventColumns) -> EventColumns:
    """The events sorted within their lines; every known producer has them so."""
    offset, duration = events.offset_ps, events.duration_ps
    late = offset[1:] < offset[:-1]
    late |= (offset[1:] == offset[:-1]) & (duration[1:] > duration[:-1])
    late[lines.first[1:-1][(lines.first[1:-1] > 0) & (lines.first[1:-1] < len(events))] - 1] = False
    if not late.any():
        return events
    line = np.repeat(np.arange(len(lines)), np.diff(lines.first))
    order = np.lexsort((-duration, offset, line))
    return EventColumns(
        events.name[order],
        offset[order],
        duration[order],
        events.occurrences[order],
        events.stats_start[order],
        events.stats_end[order],
    )
