"""The events of an XPlane's lines as columns.

Nearly all events are written alike: name, offset, perhaps a duration, perhaps stats. Of those, the
24 bytes from the event's tag on hold every number, and one gather fetches them. What is written in
any other legal way is walked field by field.
"""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.wire.event_starts import EVENT_TAG, NAME_TAG, OFFSET_TAG
from tfprof.wire.fields import Fields, Progress, fields_at, walk
from tfprof.wire.ids import Ids
from tfprof.wire.leaps import behind
from tfprof.wire.schema import BYTES, VARINT
from tfprof.wire.side_by_side import side_by_side
from tfprof.wire.words import WORD, Hashes, Words, varints_in

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

# field numbers
_NAME, _OFFSET, _DURATION, _STATS, _OCCURRENCES = 1, 2, 3, 4, 5
_DURATION_TAG = _DURATION << 3 | VARINT
_STATS_TAG = _STATS << 3 | BYTES
# how many events are read together: their columns should stay in the processor's cache
_BLOCK = 1 << 15


@frozen_dataclass
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
    stats_size: Codes

    def __len__(self) -> int:
        return len(self.name)


def read_events(
    data: bytes, positions: Ints, names: Ids, progress: Progress | None = None
) -> EventColumns:
    """The events whose fields start at `positions`, all whole; what is in there is overwritten."""
    count = len(positions)
    events = EventColumns(
        np.empty(count, np.int32),
        np.empty(count, np.int64),
        np.zeros(count, np.int64),
        np.broadcast_to(np.int64(0), (count,)),
        positions,
        np.empty(count, np.int32),
    )
    words = Words(data)
    odd: list[Ints] = [np.zeros(0, np.int64)] * (count // _BLOCK + 1)
    reader = threading.get_ident()

    def read(first: int) -> None:
        block = slice(first, first + _BLOCK)
        last = int(positions[block][-1])
        odd[first // _BLOCK] = _usual(words, positions[block], names, events, block) + first
        # who watches is told by one thread
        if progress is not None and threading.get_ident() == reader:
            progress(last)

    side_by_side(read, range(0, count, _BLOCK))
    others = np.concatenate(odd)
    return _unusual(data, others, names, events) if len(others) else events


def _usual(words: Words, position: Ints, names: Ids, events: EventColumns, block: slice) -> Ints:
    """Writes the columns of a block, and tells which rows of it are not as it takes them to be.

    Those keep their position in place of the start of their stats.
    """
    three = words.threes_at(position)
    first, second, third = (np.ascontiguousarray(three[:, word]) for word in range(3))
    end = ((first >> _EIGHT) & _LOW_SEVEN).view(np.int64)
    end += position
    end += 2
    # tag, a size of one byte, tag of the name; then the name in one or two bytes
    fits = (first & _HEAD_BITS) == _HEAD
    name = first >> _TWENTY_FOUR
    second_byte = (name >> _SEVEN) & _ONE
    after = second_byte << _THREE  # bits of the name's second byte
    after += _FORTY
    number = (name >> _ONE) & _UPPER_SEVEN
    number *= second_byte
    number |= name & _LOW_SEVEN
    fits &= (name & _TWO_MORE) != _TWO_MORE
    # behind the name, the tag of the offset: one byte before the offset itself
    fits &= ((first >> (after - _EIGHT)) & _BYTE) == OFFSET_TAG
    offset, size = varints_in(_joined(first, second, after))
    after += size.view(np.uint64) << _THREE
    after -= _WORD_BITS
    # an offset of so few bytes that its end lies in the first word, or of more than eight
    fits &= (size > 0) & (after <= _WORD_BITS)
    rest = _joined(second, third, after)
    stats = position + WORD
    stats += (after >> _THREE).view(np.int64)
    timed = np.flatnonzero(((rest & _BYTE) == _DURATION_TAG) & (stats < end) & fits)
    duration, size = varints_in(rest[timed] >> _EIGHT)
    stats[timed] += size
    stats[timed] += 1
    fits[timed] &= size < WORD
    fits &= stats <= end
    fits &= _only_stats(words, stats, end)
    # the last words of the buffer may have been read too early
    fits &= position <= words.last_three
    events.name[block] = names.rows_of(number.view(np.int64))
    events.offset_ps[block] = offset.view(np.int64)
    events.duration_ps[block][timed] = duration.view(np.int64)
    events.stats_size[block] = end - stats
    odd = np.flatnonzero(~fits)
    stats[odd] = position[odd]
    events.stats_start[block] = stats
    return odd


def _joined(lower: Hashes, upper: Hashes, shift: Hashes) -> Hashes:
    """The word that starts `shift` bits behind the lower of two words."""
    word = lower >> shift
    word |= upper << (_WORD_BITS - shift)
    return word


def _only_stats(words: Words, start: Ints, end: Ints) -> Mask:
    """Whether stats, if anything, fill the messages from `start` to their `end`."""
    fits = np.ones(len(start), bool)
    row = np.flatnonzero(start < end)
    position, stop = start[row], end[row]
    while len(row):
        position, wrong = behind(words, position, words.size, _STATS_TAG)
        over = position > stop
        over[wrong] = True
        fits[row[over]] = False
        going = np.flatnonzero((position < stop) & ~over)
        row, position, stop = row[going], position[going], stop[going]
    return fits


_ONE, _THREE, _SEVEN, _EIGHT = (np.uint64(number) for number in (1, 3, 7, 8))
_TWENTY_FOUR, _FORTY, _WORD_BITS = (np.uint64(number) for number in (24, 40, 64))
_BYTE, _LOW_SEVEN, _UPPER_SEVEN = np.uint64(0xFF), np.uint64(0x7F), np.uint64(0x3F80)
_TWO_MORE = np.uint64(0x8080)
_HEAD_BITS = np.uint64(0xFF80FF)
_HEAD = np.uint64(NAME_TAG << 16 | EVENT_TAG)


def _unusual(data: bytes, rows: Ints, names: Ids, events: EventColumns) -> EventColumns:
    """Overwrites some rows: fields in any order, of any size, several times, or none of them."""
    found = fields_at(data, events.stats_start[rows])
    end = found.end
    stats = end.copy()
    name = np.full(len(rows), names.row_of(0), np.int32)
    offset, duration = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    counted: list[Fields] = []
    for position, passed in walk(data, found.start, end):
        some = passed.some(_NAME, VARINT)
        name[passed.owner[some]] = names.rows_of(passed.value[some].view(np.int64))
        for number, column in ((_OFFSET, offset), (_DURATION, duration)):
            some = passed.some(number, VARINT)
            column[passed.owner[some]] = passed.value[some].view(np.int64)
        some = passed.some(_STATS, BYTES)
        # backwards: of an event's stats the first is written last
        at, first = passed.owner[some][::-1], position[some][::-1]
        stats[at] = np.minimum(stats[at], first)
        if (passed.number == _OCCURRENCES).any():
            counted.append(passed)
    events.name[rows] = name
    events.offset_ps[rows] = offset
    events.duration_ps[rows] = duration
    events.stats_start[rows] = stats
    events.stats_size[rows] = end - stats
    if not counted:
        return events
    occurrences = np.zeros(len(events), np.int64)
    occurrences[rows] = Fields.joined(counted).ints(_OCCURRENCES, len(rows))
    return replace(events, occurrences=occurrences)
