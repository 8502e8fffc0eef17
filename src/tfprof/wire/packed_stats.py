"""The stats of all events of a plane, small enough to be kept.

A capture has several stats an event, and nearly all events carry the same ones: numbers that fit a
byte or four, kinds that are always the same, owners without a gap. So each name has columns of its
own, as narrow as their values allow, and is made whole when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.wire.xstats import StatTable

Ints = npt.NDArray[np.int64]
Column = npt.NDArray[Any]

_NARROW = 1 << 16


@frozen_dataclass
class _Piece:
    """Stats of one name, one an owner, by owner; a column of one value stands for a constant."""

    count: int
    # the first of them, where one follows the other
    first: int
    owner: Column | None
    kind: Column
    value: Column
    size: Column

    @classmethod
    def of(cls, table: StatTable) -> _Piece:
        """Of an owner's stats the first."""
        owner = table.owner
        if (owner[1:] <= owner[:-1]).any():
            order = np.argsort(owner, kind="stable")
            table = table.rows(order[np.append(True, np.diff(owner[order]) != 0)])
            owner = table.owner
        first, count = int(owner[0]), len(owner)
        is_range = int(owner[-1]) - first == count - 1
        columns = (_narrow(column) for column in (table.kind, table.value, table.size))
        return cls(count, first, None if is_range else owner, *columns)

    @property
    def owners(self) -> Column:
        if self.owner is not None:
            return self.owner
        return np.arange(self.first, self.first + self.count, dtype=np.int32)


class PackedStats:
    """By name; stats whose names are alike, though not their ids, are of one name."""

    def __init__(self, parts: Iterable[StatTable], names: Sequence[str]) -> None:
        """Of parts whose owners rise from one to the next; `names` of the plane's stats."""
        alike = _first_alike(names)
        self._pieces: dict[int, list[_Piece]] = {}
        for part in parts:
            for name, rows in _by_name(alike[part.name]):
                self._pieces.setdefault(name, []).append(_Piece.of(part.rows(rows)))

    def named(self, names: list[int]) -> StatTable:
        """The stats with one of these names, which are all that are alike; by owner."""
        pieces = self._pieces.get(names[0], []) if names else []
        count = sum(piece.count for piece in pieces)
        table = StatTable(
            np.empty(count, np.int32),
            np.broadcast_to(np.int32(names[0] if names else 0), (count,)),
            np.empty(count, np.uint8),
            np.empty(count, np.uint64),
            np.empty(count, np.uint32),
        )
        begin = 0
        for piece in pieces:
            rows = slice(begin, begin + piece.count)
            table.owner[rows] = piece.owners
            table.kind[rows], table.value[rows] = piece.kind, piece.value
            table.size[rows] = piece.size
            begin += piece.count
        return table


def _first_alike(names: Sequence[str]) -> npt.NDArray[np.int32]:
    """For each name the first that is the same; what has no name is alike with nothing."""
    first: dict[str, int] = {}
    found = [first.setdefault(name, row) for row, name in enumerate(names[:-1])]
    return np.array([*found, len(names) - 1], np.int32)


def _by_name(name: npt.NDArray[np.int32]) -> Iterator[tuple[int, Ints]]:
    """Each name, and the rows that have it."""
    # numpy sorts numbers of 16 bits much faster
    small = int(name.max(initial=0)) < _NARROW
    order = np.argsort(name.astype(np.uint16) if small else name, kind="stable")
    ordered = name[order]
    edges = np.flatnonzero(np.diff(ordered)) + 1
    for rows in np.split(order, edges) if len(order) else ():
        yield int(name[rows[0]]), rows


def _narrow(column: Column) -> Column:
    """A copy in as few bytes as hold it."""
    largest, least = column.max(), column.min()
    kind = np.min_scalar_type(largest)
    return column[:1].astype(kind) if largest == least else column.astype(kind)
