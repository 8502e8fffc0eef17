"""Protobuf's wire format in bulk: the fields of many messages at once, as columns.

All messages advance in lock-step, one field a pass, so the work per pass is a handful of numpy
calls whatever their number. The few that have more fields than the others (a GraphDef of a million
nodes is one message) are walked from many places at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.wire.leaps import Progress
from tfprof.wire.positions import field_positions
from tfprof.wire.schema import BYTES, VARINT
from tfprof.wire.varint import WireFault, varint
from tfprof.wire.words import WORD, Words, long_varints, short_varints, varints_in

__all__ = [
    "Fields", "Progress", "WireFault", "fields_at", "split", "varint", "walk", "whole",
]  # fmt: skip

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

# below this many messages a pass of numpy calls costs more than the loop
_LOOP_BELOW = 24
# how many messages advance together: their columns should stay in the processor's cache
_BLOCK = 1 << 14
# how many fields of one message are read together
_FIELDS = 1 << 16


@frozen_dataclass
class Fields:
    """One row a field. The rows of one message stand in wire order; messages may be interleaved.

    `value` is the number of a varint; of every other kind, `start` and `end` frame the payload.
    """

    owner: Ints
    number: npt.NDArray[np.int32]
    kind: Bytes
    value: npt.NDArray[np.uint64]
    start: Ints
    end: Ints

    def rows(self, number: int, kind: int) -> Ints:
        """Where the rows of one field are. Another wire type is another format's: passed over."""
        return np.flatnonzero((self.number == number) & (self.kind == kind))

    def some(self, number: int, kind: int) -> Ints | slice:
        """The same; a slice if that is all rows, which then need not be gathered."""
        fits = (self.number == number) & (self.kind == kind)
        count = np.count_nonzero(fits)
        if count == len(fits):
            return slice(None)
        return fits.nonzero()[0] if count else slice(0)

    def repeated(self, number: int, kind: int = BYTES) -> Fields:
        """The rows of one repeated field, message after message."""
        rows = self.rows(number, kind)
        owner = self.owner[rows]
        if len(owner) > 1 and bool((owner[1:] < owner[:-1]).any()):
            rows = rows[np.argsort(owner, kind="stable")]
        return self._at(rows)

    def numbered_up_to(self, number: int) -> Fields:
        """The rows of fields with at most this number; in one pass, these are often all or none."""
        fits = self.number <= number
        return self if fits.all() else self._at(np.flatnonzero(fits))

    def _at(self, rows: Ints) -> Fields:
        return Fields(
            self.owner[rows],
            self.number[rows],
            self.kind[rows],
            self.value[rows],
            self.start[rows],
            self.end[rows],
        )

    def ints(self, number: int, count: int) -> Ints:
        """A singular integer field as a column over `count` messages; absent is 0; last wins."""
        rows = self.rows(number, VARINT)
        column = np.zeros(count, np.int64)
        column[self.owner[rows]] = self.value[rows].view(np.int64)
        return column

    def spans(self, number: int, count: int) -> tuple[Ints, Ints]:
        """A singular bytes field as start and end over `count` messages; absent is empty."""
        rows = self.rows(number, BYTES)
        start, end = np.zeros(count, np.int64), np.zeros(count, np.int64)
        start[self.owner[rows]] = self.start[rows]
        end[self.owner[rows]] = self.end[rows]
        return start, end

    def without(self, number: int, owner: int) -> Fields:
        """The rows of other fields, as those of message `owner`."""
        rest = self._at(np.flatnonzero(self.number != number))
        rest.owner[:] = owner
        return rest

    @classmethod
    def joined(cls, parts: list[Fields]) -> Fields:
        if len(parts) == 1:
            return parts[0]
        none = np.zeros(0, np.int64)
        return cls(
            np.concatenate([none, *(part.owner for part in parts)]),
            np.concatenate([none.astype(np.int32), *(part.number for part in parts)]),
            np.concatenate([none.astype(np.uint8), *(part.kind for part in parts)]),
            np.concatenate([none.view(np.uint64), *(part.value for part in parts)]),
            np.concatenate([none, *(part.start for part in parts)]),
            np.concatenate([none, *(part.end for part in parts)]),
        )

    def put(self, rows: Ints, other: Fields) -> None:
        """Overwrite some rows."""
        for column in ("number", "kind", "value", "start", "end"):
            getattr(self, column)[rows] = getattr(other, column)

    def __len__(self) -> int:
        return len(self.owner)


class _Source:
    """The same bytes in the three ways they are read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.bytes = np.frombuffer(data, np.uint8)
        self.words = Words(data)


def whole(data: bytes, progress: Progress | None = None) -> Fields:
    """The fields of the one message that `data` is."""
    ends = np.array([len(data)], np.int64)
    return split(data, np.zeros(1, np.int64), ends, progress)


def split(
    data: bytes,
    starts: Ints,
    ends: Ints,
    progress: Progress | None = None,
    up_to: int | None = None,
) -> Fields:
    """The fields of the messages at `starts`..`ends` of `data`; a WireFault where they break.

    Fields with numbers above `up_to` are walked over and not kept.
    """
    passes = (found for _, found in walk(data, starts, ends, progress))
    return Fields.joined([p if up_to is None else p.numbered_up_to(up_to) for p in passes])


def walk(
    data: bytes, starts: Ints, ends: Ints, progress: Progress | None = None
) -> Iterator[tuple[Ints, Fields]]:
    """The same fields, a pass at a time, with where each starts: for who keeps little of them."""
    source = _Source(data)
    rows = np.flatnonzero(starts < ends)
    for first in range(0, len(rows), _BLOCK):
        block = rows[first : first + _BLOCK]
        yield from _walk_block(source, block, starts[block], ends[block], progress)


def _walk_block(
    source: _Source, active: Ints, position: Ints, stop: Ints, progress: Progress | None
) -> Iterator[tuple[Ints, Fields]]:
    """The fields of some messages, few enough to stay in the cache."""
    while len(active) >= _LOOP_BELOW:
        row = _one_field_each(source, active, position, stop)
        yield position, row
        going = np.flatnonzero(row.end < stop)
        active, position, stop = active[going], row.end[going], stop[going]
        if progress is not None and len(position):
            progress(int(position[-1]))
    for message, at, end in zip(active.tolist(), position.tolist(), stop.tolist(), strict=True):
        yield from _walk_one(source, message, at, end, progress)


def _one_field_each(source: _Source, owner: Ints, position: Ints, ends: Ints) -> Fields:
    """One field of each message; a message goes on at its field's `end`."""
    word = source.words.at(position)
    tag = word.astype(np.uint8)
    word >>= _EIGHT
    word &= _TWO_BYTES
    values, sizes = short_varints()
    value, size = values.take(word.view(np.int64)), sizes.take(word.view(np.int64))
    long = np.flatnonzero(size == 0)
    if len(long):
        # a number of eight bytes, as times are, fills a word of its own
        value[long], size[long] = varints_in(source.words.at(position[long] + 1))
    start = position + size
    start += 1
    kind = tag & _KIND_BITS
    end = value.view(np.int64) * (kind == BYTES)
    end += start
    found = Fields(owner, (tag >> 3).astype(np.int32), kind, value, start, end)
    # what one word does not hold: huge numbers, large tags, fixed sizes; and what is broken
    odd = np.flatnonzero((end > ends) | (size == 0) | _IS_ODD.take(tag))
    if len(odd):
        found.put(odd, _one_odd_field_each(source.bytes, owner[odd], position[odd], ends[odd]))
    return found


def _one_odd_field_each(buffer: Bytes, owner: Ints, position: Ints, ends: Ints) -> Fields:
    """The same for fields of every kind and size, with a reason for what is broken."""
    tag, after_tag = _varints(buffer, position, position)
    kind = (tag & _SEVEN).astype(np.uint8)
    # a tag of a sane message fits 32 bits; a larger one is no tag
    number = np.minimum(tag >> _THREE, _HUGE_NUMBER).astype(np.int32)
    wrong = np.flatnonzero((number == 0) | (number == _HUGE_NUMBER) | (_SKIP[kind] < 0))
    if len(wrong):
        raise WireFault("no field starts like this", int(position[wrong[0]]))
    fixed = np.flatnonzero(_SKIP[kind])
    if len(fixed):
        # their bytes are no number: reading the tag once more leaves `start` behind it
        after_tag[fixed] = position[fixed]
    value, start = _varints(buffer, after_tag, position)
    end = start.copy()
    sized = np.flatnonzero(kind == BYTES)
    end[sized] += np.minimum(value[sized], _HUGE_SIZE).view(np.int64)
    if len(fixed):
        value[fixed] = 0
        end[fixed] = start[fixed] + _SKIP[kind[fixed]]
    over = np.flatnonzero(end > ends)
    if len(over):
        first = int(over[0])
        raise WireFault(
            f"field {number[first]} is longer than the message around it",
            int(position[first]),
            early_end=bool(ends[first] == len(buffer)),
        )
    return Fields(owner, number, kind, value, start, end)


_EIGHT, _TWO_BYTES, _KIND_BITS = np.uint64(8), np.uint64(0xFFFF), np.uint8(7)
# by the first byte of a tag: no number or string, or a tag that needs more bytes
_IS_ODD = np.array([tag < 8 or tag > 0x7F or tag & 7 not in (VARINT, BYTES) for tag in range(256)])
_SEVEN, _THREE = np.uint64(7), np.uint64(3)
_HUGE_NUMBER = np.uint64(1 << 29)
_HUGE_SIZE = np.uint64(1 << 62)
# bytes to skip by wire type: 0 for what says its own size, -1 for what no longer exists
_SKIP = np.array([0, 8, 0, -1, -1, 4, -1, -1], np.int64)
# bytes behind the begin of a number that are looked at together
_LONGEST = 2 * WORD


def _varints(buffer: Bytes, position: Ints, field: Ints) -> tuple[npt.NDArray[np.uint64], Ints]:
    """The varint at each position of a field, and where it ends."""
    if int(position.max(initial=0)) + _LONGEST <= len(buffer):
        value, size = long_varints(buffer, position)
        if size.all():
            return value, position + size
    return _varints_by_byte(buffer, position, field)


def _varints_by_byte(
    buffer: Bytes, position: Ints, field: Ints
) -> tuple[npt.NDArray[np.uint64], Ints]:
    """The same, also where the buffer ends or is damaged; with a reason for that."""
    byte = buffer.take(position, mode="clip")
    value = (byte & 0x7F).astype(np.uint64)
    after = position + 1
    more = np.flatnonzero(byte & 0x80)
    for shift in range(7, 70, 7):
        if not len(more):
            return value, after
        at = after[more]
        if int(at.max()) >= len(buffer):
            raise WireFault("a number is cut off", int(field[more[at.argmax()]]), early_end=True)
        byte = buffer[at]
        value[more] |= (byte & 0x7F).astype(np.uint64) << np.uint64(shift)
        after[more] = at + 1
        more = more[byte >= 0x80]
    if len(more):
        raise WireFault("a number has more than ten bytes", int(field[more[0]]))
    return value, after


def fields_at(data: bytes, position: Ints, end: int | None = None) -> Fields:
    """The field at each of some positions, each its own owner; none may reach beyond `end`."""
    ends = np.full(len(position), len(data) if end is None else end, np.int64)
    return _one_field_each(_Source(data), np.arange(len(position)), position, ends)


def _walk_one(
    source: _Source, message: int, position: int, end: int, progress: Progress | None
) -> Iterator[tuple[Ints, Fields]]:
    """A message with many fields: where each starts is found first, the rest is done in bulk."""
    starts = field_positions(source.data, source.words, position, end, progress)
    for first in range(0, len(starts), _FIELDS):
        some = starts[first : first + _FIELDS]
        owner, ends = np.full(len(some), message, np.int64), np.full(len(some), end, np.int64)
        yield some, _one_field_each(source, owner, some, ends)
