"""The stats of many XPlane messages in bulk: one row a stat, whatever carries it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.wire.fields import walk
from tfprof.wire.ids import Ids
from tfprof.wire.schema import BYTES, FIXED64, VARINT
from tfprof.wire.words import Words

Ints = npt.NDArray[np.int64]

# the fields of an XStat; all but the first are the ways to hold a value
_NAME = 1
DOUBLE, UINT64, INT64, STRING, RAW, REFERENCE = 2, 3, 4, 5, 6, 7
_WIRE_TYPES = {
    DOUBLE: FIXED64, UINT64: VARINT, INT64: VARINT, STRING: BYTES, RAW: BYTES, REFERENCE: VARINT,
}  # fmt: skip
# how many carriers are read before their stats are decoded
_CARRIERS = 1 << 16


@frozen_dataclass
class StatTable:
    """`value` is the number's 64 bits, or where a string starts that has `size` bytes.

    `name` is a row of the plane's stat names. The stats of one owner stand in the file's order.
    """

    owner: npt.NDArray[np.int32]
    name: npt.NDArray[np.int32]
    kind: npt.NDArray[np.uint8]
    value: npt.NDArray[np.uint64]
    size: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.owner)

    def named(self, names: list[int]) -> StatTable:
        """The stats with one of these names, owner after owner; of one owner's the first."""
        asked = np.array(names, np.int64)
        is_one = self.name == asked if len(asked) == 1 else _asked_for(self.name, asked)
        rows = np.flatnonzero(is_one)
        rows = rows[np.argsort(self.owner[rows], kind="stable")]
        owner = self.owner[rows]
        rows = rows[np.append(True, owner[1:] != owner[:-1])[: len(rows)]]
        return self.rows(rows)

    def owned_by(self, owners: Ints) -> StatTable:
        """The stats of some owners, in the order of the table."""
        return self.rows(np.flatnonzero(_asked_for(self.owner, owners)))

    def rows(self, rows: Ints) -> StatTable:
        return StatTable(
            self.owner[rows], self.name[rows], self.kind[rows], self.value[rows], self.size[rows]
        )


def _asked_for(places: npt.NDArray[np.int32], asked: Ints) -> npt.NDArray[np.bool_]:
    """By a table of all places: `np.isin` may sort, and load numpy's masked arrays for it."""
    last = max(int(places.max(initial=0)), int(asked.max(initial=0)))
    is_asked = np.zeros(last + 1, bool)
    is_asked[asked] = True
    return is_asked[places]


def read_stats(data: bytes, starts: Ints, ends: Ints, number: int, names: Ids) -> StatTable:
    """The stats in field `number` of the messages at `starts`..`ends`, each message an owner."""
    parts = list(stat_parts(data, starts, ends, number, names))
    return StatTable(
        np.concatenate([part.owner for part in parts] or [np.zeros(0, np.int32)]),
        np.concatenate([part.name for part in parts] or [np.zeros(0, np.int32)]),
        np.concatenate([part.kind for part in parts] or [np.zeros(0, np.uint8)]),
        np.concatenate([part.value for part in parts] or [np.zeros(0, np.uint64)]),
        np.concatenate([part.size for part in parts] or [np.zeros(0, np.uint32)]),
    )


def stat_parts(
    data: bytes, starts: Ints, ends: Ints, number: int, names: Ids
) -> Iterator[StatTable]:
    """The same, those of some owners at a time."""
    carriers = np.flatnonzero(starts < ends)
    for first in range(0, len(carriers), _CARRIERS):
        some = carriers[first : first + _CARRIERS]
        owner, begin, end = _spans(data, starts[some], ends[some], number)
        yield _decoded(data, some[owner].astype(np.int32), begin, end, names)


def _spans(data: bytes, starts: Ints, ends: Ints, number: int) -> tuple[Ints, Ints, Ints]:
    """Whose each stat is, and where it lies."""
    none = np.zeros(0, np.int64)
    owners, begins, stops = [none], [none], [none]
    for _, found in walk(data, starts, ends):
        rows = found.rows(number, BYTES)
        owners.append(found.owner[rows])
        begins.append(found.start[rows])
        stops.append(found.end[rows])
    return np.concatenate(owners), np.concatenate(begins), np.concatenate(stops)


def _decoded(
    data: bytes, owner: npt.NDArray[np.int32], starts: Ints, ends: Ints, names: Ids
) -> StatTable:
    count = len(owner)
    table = StatTable(
        owner,
        np.full(count, names.row_of(0), np.int32),
        np.zeros(count, np.uint8),
        np.zeros(count, np.uint64),
        np.zeros(count, np.uint32),
    )
    for _, found in walk(data, starts, ends):
        some = found.some(_NAME, VARINT)
        table.name[found.owner[some]] = names.rows_of(found.value[some].view(np.int64))
        for kind, wire_type in _WIRE_TYPES.items():
            some = found.some(kind, wire_type)
            at = found.owner[some]
            if not len(at):
                continue
            # a later value takes the place of an earlier one
            table.kind[at] = kind
            table.value[at] = found.value[some] if wire_type == VARINT else found.start[some]
            table.size[at] = found.end[some] - found.start[some]
    doubles = np.flatnonzero(table.kind == DOUBLE)
    table.value[doubles] = Words(data).at(table.value[doubles].view(np.int64))
    return table
