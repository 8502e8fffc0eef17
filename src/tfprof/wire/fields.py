"""Protobuf's wire format in bulk: the fields of many messages at once, as columns.

All messages advance in lock-step, one field a pass, so the work per pass is a handful of numpy
calls whatever their number. The few that have more fields than the others (a GraphDef of a million
nodes is one message) finish in a plain loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tfprof.wire.schema import BYTES, VARINT

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

# below this many messages a pass of numpy calls costs more than the loop
_LOOP_BELOW = 24
# how many messages advance together: their columns should stay in the processor's cache
_BLOCK = 1 << 13
# how many fields the loop reads between two reports of progress
_REPORT_EVERY = 1 << 16

Progress = Callable[[int], None]


class WireFault(ValueError):
    """The bytes break the wire format at `offset`; `early_end` if a field runs past the end."""

    def __init__(self, what: str, offset: int, *, early_end: bool = False) -> None:
        super().__init__(f"{what} at byte {offset}")
        self.what = what
        self.offset = offset
        self.early_end = early_end


@dataclass(frozen=True, slots=True)
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

    def repeated(self, number: int, kind: int = BYTES) -> Fields:
        """The rows of one repeated field, message after message."""
        rows = self.rows(number, kind)
        owner = self.owner[rows]
        if len(owner) > 1 and bool((owner[1:] < owner[:-1]).any()):
            rows = rows[np.argsort(owner, kind="stable")]
        return self._at(rows)

    def numbered_up_to(self, number: int) -> Fields:
        """The rows of fields with at most this number."""
        return self._at(np.flatnonzero(self.number <= number))

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

    def __len__(self) -> int:
        return len(self.owner)


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
    passes: list[Fields] = []
    rows = np.flatnonzero(starts < ends)
    for first in range(0, len(rows), _BLOCK):
        block = rows[first : first + _BLOCK]
        _split_block(data, block, starts[block], ends[block], progress, up_to, passes)
    return _joined(passes)


def _split_block(
    data: bytes,
    active: Ints,
    position: Ints,
    stop: Ints,
    progress: Progress | None,
    up_to: int | None,
    passes: list[Fields],
) -> None:
    """The fields of some messages appended to `passes`; few enough to stay in the cache."""
    buffer = np.frombuffer(data, np.uint8)
    while len(active) >= _LOOP_BELOW:
        row = _one_field_each(buffer, active, position, stop)
        passes.append(row if up_to is None else row.numbered_up_to(up_to))
        going = np.flatnonzero(row.end < stop)
        active, position, stop = active[going], row.end[going], stop[going]
        if progress is not None and len(position):
            progress(int(position[-1]))
    for message, at, end in zip(active.tolist(), position.tolist(), stop.tolist(), strict=True):
        rest = _all_fields(data, message, at, end, progress)
        passes.append(rest if up_to is None else rest.numbered_up_to(up_to))


def _joined(passes: list[Fields]) -> Fields:
    if len(passes) == 1:
        return passes[0]
    if not passes:
        none = np.zeros(0, np.int64)
        return Fields(
            none, none.astype(np.int32), none.astype(np.uint8), none.view(np.uint64), none, none
        )
    return Fields(
        np.concatenate([f.owner for f in passes]),
        np.concatenate([f.number for f in passes]),
        np.concatenate([f.kind for f in passes]),
        np.concatenate([f.value for f in passes]),
        np.concatenate([f.start for f in passes]),
        np.concatenate([f.end for f in passes]),
    )


def _one_field_each(buffer: Bytes, owner: Ints, position: Ints, ends: Ints) -> Fields:
    """One field of each message; a message goes on at its field's `end`."""
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


_SEVEN, _THREE = np.uint64(7), np.uint64(3)
_HUGE_NUMBER = np.uint64(1 << 29)
_HUGE_SIZE = np.uint64(1 << 62)
# bytes to skip by wire type: 0 for what says its own size, -1 for what no longer exists
_SKIP = np.array([0, 8, 0, -1, -1, 4, -1, -1], np.int64)


def _varints(buffer: Bytes, position: Ints, field: Ints) -> tuple[npt.NDArray[np.uint64], Ints]:
    """The varint at each position of a field, and where it ends."""
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


def _all_fields(
    data: bytes, message: int, position: int, end: int, progress: Progress | None
) -> Fields:
    """A message with many fields: a loop finds where each starts, the rest is done in bulk."""
    starts = np.array(_field_positions(data, position, end, progress), np.int64)
    return _one_field_each(
        np.frombuffer(data, np.uint8),
        np.full(len(starts), message, np.int64),
        starts,
        np.full(len(starts), end, np.int64),
    )


def _field_positions(data: bytes, position: int, end: int, progress: Progress | None) -> list[int]:
    """Where the fields of one message start; a broken one is the last, for others to judge."""
    positions: list[int] = []
    add = positions.append
    next_report = _REPORT_EVERY
    try:
        while position < end:
            tag = data[position]
            if tag & 0x87 == BYTES and tag > 7:
                # a run of one repeated field, with sizes of one or two bytes: most of a large file
                for _ in range(_REPORT_EVERY):
                    if position >= end or data[position] != tag:
                        break
                    add(position)
                    size = data[position + 1]
                    if size < 0x80:
                        position += size + 2
                        continue
                    second = data[position + 2]
                    if second < 0x80:
                        position += (size & 0x7F | second << 7) + 3
                    else:
                        size, body = varint(data, position + 1)
                        position = body + size
            else:
                add(position)
                position = _after_field(data, position)
            if progress is not None and len(positions) >= next_report:
                progress(position)
                next_report = len(positions) + _REPORT_EVERY
    except (IndexError, WireFault):
        pass  # the field that starts at the last position is broken
    return positions


def _after_field(data: bytes, position: int) -> int:
    tag, after = varint(data, position)
    kind = tag & 7
    if tag < 8 or _SKIP[kind] < 0:
        raise WireFault("no field starts like this", position)
    if kind == VARINT:
        return varint(data, after)[1]
    if kind == BYTES:
        size, after = varint(data, after)
        return after + size
    return after + int(_SKIP[kind])


def varint(data: bytes, position: int) -> tuple[int, int]:
    """The varint at `position`, modulo 2^64, and where it ends; IndexError past the data."""
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, position
        shift += 7
        if shift >= 70:
            raise WireFault("a number has more than ten bytes", position)
