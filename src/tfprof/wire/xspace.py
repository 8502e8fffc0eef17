"""XPlane, the profile of TensorFlow 2: a plane's lines and events as columns.

A capture has millions of events and few names. Events are decoded all together, line by line; the
bytes of their stats are only located, and read when somebody asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.wire.event_starts import EVENT_TAG, event_starts
from tfprof.wire.far_apart import are_far_apart, read_far_apart
from tfprof.wire.fields import Fields, Progress, fields_at, split
from tfprof.wire.ids import Ids
from tfprof.wire.packed_stats import PackedStats
from tfprof.wire.positions import field_runs
from tfprof.wire.schema import BYTES
from tfprof.wire.spans import Spans
from tfprof.wire.words import Words
from tfprof.wire.xevents import EventColumns, read_events
from tfprof.wire.xstats import StatTable, read_stats, stat_parts

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

# field numbers
_PLANE_ID, _PLANE_NAME, _LINES, _EVENT_METADATA, _STAT_METADATA, _PLANE_STATS = 1, 2, 3, 4, 5, 6
_LINE_ID, _LINE_NAME, _TIMESTAMP, _EVENTS, _LINE_DURATION = 1, 2, 3, 4, 9
_DISPLAY_ID, _LINE_DISPLAY_NAME = 10, 11
_EVENT_STATS = 4
_KEY, _VALUE = 1, 2
_NAME, _DISPLAY_NAME, _METADATA_STATS = 2, 4, 5
_NONE = np.zeros(0, np.int64)
# so many pieces are joined faster than others are left out
_FEW = 64


@frozen_dataclass
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


@frozen_dataclass
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


@frozen_dataclass
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
    lines, starts = _lines(data, fields.repeated(_LINES), progress)
    return PlaneColumns(
        int(fields.ints(_PLANE_ID, 1)[0]),
        Spans(data, *fields.spans(_PLANE_NAME, 1)).texts()[0],
        lines,
        in_order(lines, read_events(data, starts, event_names.ids, progress)),
        event_names,
        stat_names,
        read_stats(data, *bounds, _PLANE_STATS, stat_names.ids),
    )


def read_lines(data: bytes, start: int, end: int) -> tuple[str, LineColumns]:
    """The name of the XPlane and its lines; of events no more than how many there are."""
    bounds = np.array([start], np.int64), np.array([end], np.int64)
    fields = split(data, *bounds)
    name = Spans(data, *fields.spans(_PLANE_NAME, 1)).texts()[0]
    return name, _lines(data, fields.repeated(_LINES), None)[0]


def event_stats(
    data: bytes, plane: PlaneColumns, rows: Ints, only: Sequence[int] | None = None
) -> StatTable:
    """The stats of some `rows` of the events, the owners: at least `only` those with some names."""
    carriers = rows[plane.events.stats_size[rows] > 0]
    starts = plane.events.stats_start[carriers]
    ends = starts + plane.events.stats_size[carriers]
    read = read_far_apart if are_far_apart(data, starts, ends) else read_stats
    found = read(data, starts, ends, _EVENT_STATS, plane.stat_names.ids, only)
    return replace(found, owner=carriers.astype(np.int32)[found.owner])


def all_event_stats(data: bytes, plane: PlaneColumns) -> PackedStats:
    """The stats of all events."""
    starts = plane.events.stats_start
    ends = starts + plane.events.stats_size
    parts = stat_parts(data, starts, ends, _EVENT_STATS, plane.stat_names.ids)
    return PackedStats(parts, plane.stat_names.name)


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


def _lines(data: bytes, messages: Fields, progress: Progress | None) -> tuple[LineColumns, Ints]:
    """The lines, and where the fields of the events of all of them start."""
    count = len(messages)
    heads: list[Fields] = []
    events = [np.zeros(0, np.int64)]
    first = np.zeros(count + 1, np.int64)
    for line in range(count):
        head, found = _line(data, int(messages.start[line]), int(messages.end[line]), progress)
        heads.append(head.without(_EVENTS, owner=line))
        events += found
        first[line + 1] = first[line] + sum(map(len, found))
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
    return lines, np.concatenate(events)


def _line(
    data: bytes, begin: int, end: int, progress: Progress | None
) -> tuple[Fields, list[Ints]]:
    """The fields of a line that are no events, maybe among others; where its events start."""
    words = Words(data)
    runs = [*field_runs(data, words, begin, end, progress, event_starts)]
    if runs:
        fields_at(data, runs[-1][1][-1:], end)  # raises a fault if this one is broken
    heads = [fields_at(data, _NONE)]
    events: list[Ints] = []
    for tag, starts in runs:
        if tag == EVENT_TAG:
            events.append(starts)
            continue
        others = np.flatnonzero(words.bytes_at(starts) != EVENT_TAG)
        heads.append(fields_at(data, starts[others], end))
        # a tag may be written with more bytes than it needs
        others = np.delete(others, heads[-1].rows(_EVENTS, BYTES))
        events += _without(starts, others)
    return Fields.joined(heads), events


def _without(starts: Ints, others: Ints) -> list[Ints]:
    """What is left of some positions, in pieces: the others are mostly the first and the last."""
    if len(others) > _FEW:
        return [np.delete(starts, others)]
    ends = [*others.tolist(), len(starts)]
    return [starts[begin:end] for begin, end in zip([0, *(others + 1).tolist()], ends, strict=True)]


def in_order(lines: LineColumns, events: EventColumns) -> EventColumns:
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
        events.stats_size[order],
    )
