"""The stats of many XPlane messages in bulk: one row a stat, whatever carries it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.wire.fields import Fields, walk
from tfprof.wire.ids import Ids
from tfprof.wire.schema import BYTES, FIXED64, VARINT
from tfprof.wire.words import WORD, Words

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

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


def read_stats(
    data: bytes,
    starts: Ints,
    ends: Ints,
    number: int,
    names: Ids,
    only: Sequence[int] | None = None,
) -> StatTable:
    """The stats in field `number` of the messages at `starts`..`ends`, each message an owner.

    Of those with `only` some names, which are rows; others may be among them.
    """
    parts = list(stat_parts(data, starts, ends, number, names, only))
    return StatTable(
        np.concatenate([part.owner for part in parts] or [np.zeros(0, np.int32)]),
        np.concatenate([part.name for part in parts] or [np.zeros(0, np.int32)]),
        np.concatenate([part.kind for part in parts] or [np.zeros(0, np.uint8)]),
        np.concatenate([part.value for part in parts] or [np.zeros(0, np.uint64)]),
        np.concatenate([part.size for part in parts] or [np.zeros(0, np.uint32)]),
    )


def stat_parts(
    data: bytes,
    starts: Ints,
    ends: Ints,
    number: int,
    names: Ids,
    only: Sequence[int] | None = None,
) -> Iterator[StatTable]:
    """The same, those of some owners at a time."""
    carriers = np.flatnonzero(starts < ends)
    asked = None if only is None else _Asked(data, names, only)
    for first in range(0, len(carriers), _CARRIERS):
        some = carriers[first : first + _CARRIERS]
        owner, begin, end = _spans(data, starts[some], ends[some], number, asked)
        yield _decoded(data, some[owner].astype(np.int32), begin, end, names)


class _Asked:
    """Passes over stats that are plainly of other names: a small name, a number, nothing else."""

    def __init__(self, data: bytes, names: Ids, only: Sequence[int]) -> None:
        self._bytes, self._words = np.frombuffer(data, np.uint8), Words(data)
        is_asked = np.zeros(names.unknown + 1, bool)
        is_asked[list(only)] = True
        # by the byte of a name
        self._is_other = ~is_asked[names.rows_of(np.arange(256))]
        self._is_other[_MORE:] = False

    def among(self, starts: Ints, ends: Ints) -> Ints:
        """Those that may have one of the names."""
        kept = np.ones(len(starts), bool)
        head = self._words.at(starts)
        other = (head & _BYTE) == _NAME_TAG
        other &= self._is_other.take((head >> _EIGHT & _BYTE).view(np.int64))
        other &= _IS_NUMBER.take((head >> _SIXTEEN & _BYTE).view(np.int64))
        rows = np.flatnonzero(other)
        kept[rows] = ~self._is_one_number(starts[rows] + _HEAD, ends[rows])
        return np.flatnonzero(kept)

    def _is_one_number(self, starts: Ints, ends: Ints) -> Mask:
        """Whether nothing but a varint lies there: all bytes but the last say that it goes on."""
        size = np.clip(ends - starts, 0, _LONGEST + 1)
        more = self._words.at(starts) & _TOP_BITS
        fits: Mask = (more & _UP_TO.take(size)) == _GOING_ON.take(size)
        fits &= self._bytes.take(ends - 1) < _MORE
        fits &= (self._bytes.take(ends - 2) >= _MORE) | (size == 1)
        return fits


_HEAD, _LONGEST, _MORE = 3, 10, 0x80
_EIGHT, _SIXTEEN, _BYTE = np.uint64(8), np.uint64(16), np.uint64(0xFF)
_NAME_TAG = np.uint64(_NAME << 3 | VARINT)
_TOP_BITS = np.uint64(0x8080_8080_8080_8080)
# by the size of a number: the top bits of its bytes, and those that are set; none is 0 or 11 long
_UP_TO = np.array(
    [int(_TOP_BITS) & (1 << 8 * min(size, WORD)) - 1 for size in range(12)], np.uint64
)
_GOING_ON = np.append(_UP_TO[:1], _UP_TO[:-1])
_GOING_ON[[0, _LONGEST + 1]] = 1
# by the tag of a value
_IS_NUMBER = np.zeros(256, bool)
_IS_NUMBER[[kind << 3 for kind, wire_type in _WIRE_TYPES.items() if wire_type == VARINT]] = True


def _spans(
    data: bytes, starts: Ints, ends: Ints, number: int, asked: _Asked | None
) -> tuple[Ints, Ints, Ints]:
    """Whose each stat is, and where it lies."""
    none = np.zeros(0, np.int64)
    owners, begins, stops = [none], [none], [none]
    for _, found in walk(data, starts, ends):
        rows = found.rows(number, BYTES)
        if asked is not None:
            rows = rows[asked.among(found.start[rows], found.end[rows])]
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
        for kind, wire_type in _in_order(found):
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


def _in_order(found: Fields) -> Iterable[tuple[int, int]]:
    """Kinds of values, of a message that is walked alone by where the last of each stands.

    Those that are walked together have one field each.
    """
    if found.owner[0] != found.owner[-1]:
        return _WIRE_TYPES.items()
    fields = zip(found.number.tolist(), found.kind.tolist(), strict=True)
    last = {field: at for at, field in enumerate(fields)}
    return sorted(_WIRE_TYPES.items(), key=lambda one: last.get(one, -1))
