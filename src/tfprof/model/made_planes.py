"""Planes that were not recorded as such: other formats brought into the shape of a capture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.interned import Interned
from tfprof.model.xspace import Events, Plane
from tfprof.model.xstats import StatValue
from tfprof.wire.ids import Ids
from tfprof.wire.packed_stats import PackedStats
from tfprof.wire.schema import Proto, message_class
from tfprof.wire.xspace import LineColumns, NameColumns
from tfprof.wire.xstats import DOUBLE, INT64, STRING, UINT64, StatTable

Ints = npt.NDArray[np.int64]

_SIGNED = 1 << 63
_UNSIGNED = 1 << 64


@frozen_dataclass
class MadeEvents:
    """One row an event, in any order; `line` is a position in the names of the lines."""

    line: Ints
    name: Interned
    start_ps: Ints
    duration_ps: Ints
    # by name of the stat: rows that have it, and their values
    stats: Mapping[str, tuple[Sequence[int], Sequence[StatValue]]] = field(default_factory=dict)


def made_plane(host: str, name: str, lines: Sequence[str], events: MadeEvents) -> Plane:
    order = np.lexsort((-events.duration_ps, events.start_ps, events.line))
    count = len(order)
    place = np.empty(count, np.int64)
    place[order] = np.arange(count)
    names = _names(list(events.name.table))
    stat_names = _names(list(events.stats))
    stats, data = _stats(events.stats, place)
    return Plane(
        host,
        0,
        name,
        _lines(lines, events.line),
        Events(
            events.name.codes[order].astype(np.int32),
            events.start_ps[order],
            events.duration_ps[order],
            np.broadcast_to(np.int64(0), (count,)),
        ),
        names,
        stat_names,
        {},
        data,
        _MadeStats(stats, names.name, stat_names.name),
    )


@frozen_dataclass
class _MadeStats:
    """All stats are those of events; of a name nothing else is known."""

    events: StatTable
    names: Sequence[str]
    stat_names: Sequence[str]

    def of_events(self, rows: Ints, _names: Sequence[int]) -> StatTable:
        return self.events.owned_by(rows)

    def of_all_events(self) -> PackedStats:
        return PackedStats([self.events], self.stat_names)

    def of_names(self) -> StatTable:
        return _stats({}, np.zeros(0, np.int64))[0]

    def described(self, name: int) -> Proto:
        return message_class("XEventMetadata")(name=self.names[name])


def _lines(names: Sequence[str], line: Ints) -> LineColumns:
    count = len(names)
    zeros = np.zeros(count, np.int64)
    first = np.concatenate([[0], np.cumsum(np.bincount(line, minlength=count))]).astype(np.int64)
    ids = np.arange(1, count + 1, dtype=np.int64)
    return LineColumns(ids, ids, list(names), [""] * count, zeros, zeros, first)


def _names(names: list[str]) -> NameColumns:
    """As the file would have them: the last row stands for what has no name."""
    ids = np.arange(len(names), dtype=np.int64)
    nowhere = np.zeros(len(names) + 1, np.int64)
    unnamed = [""] * (len(names) + 1)
    return NameColumns(Ids(ids), ids, [*names, ""], unnamed, nowhere, nowhere)


def _stats(
    stats: Mapping[str, tuple[Sequence[int], Sequence[StatValue]]], place: Ints
) -> tuple[StatTable, bytes]:
    """The table of all stats by owner, and the bytes of those that are strings."""
    pieces: list[bytes] = []
    at = 0
    owner: list[npt.NDArray[np.int32]] = [np.zeros(0, np.int32)]
    name: list[npt.NDArray[np.int32]] = [np.zeros(0, np.int32)]
    kinds: list[int] = []
    values: list[int] = []
    sizes: list[int] = []
    for code, (rows, held) in enumerate(stats.values()):
        owner.append(place[np.asarray(rows, np.int64)].astype(np.int32))
        name.append(np.full(len(rows), code, np.int32))
        for value in held:
            kind, bits, piece = _encoded(value, at)
            kinds.append(kind)
            values.append(bits)
            sizes.append(len(piece))
            if piece:
                pieces.append(piece)
                at += len(piece)
    table = StatTable(
        np.concatenate(owner),
        np.concatenate(name),
        np.array(kinds, np.uint8),
        np.array(values, np.uint64),
        np.array(sizes, np.uint32),
    )
    return table.rows(np.argsort(table.owner, kind="stable")), b"".join(pieces)


def _encoded(value: StatValue, at: int) -> tuple[int, int, bytes]:
    """Kind, 64 bits and bytes; what no 64 bits hold is a number with a fraction."""
    if isinstance(value, int):
        if -_SIGNED <= value < _SIGNED:
            return INT64, value % _UNSIGNED, b""
        if value < _UNSIGNED and value > 0:
            return UINT64, value, b""
        value = float(max(-1e300, min(1e300, value)))
    if isinstance(value, float):
        return DOUBLE, int(np.float64(value).view(np.uint64)), b""
    piece = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
    return STRING, at, piece
