"""Where the fields of one large message start."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from tfprof.wire.leaps import Progress, run_starts
from tfprof.wire.mapped import look
from tfprof.wire.schema import BYTES, FIXED32, FIXED64, VARINT
from tfprof.wire.varint import WireFault, varint
from tfprof.wire.words import Words

Ints = npt.NDArray[np.int64]
# finds the starts of a run of fields: begin, end and tag, who is told how far it is, usual size
Leap = Callable[[Words, int, int, int, Progress | None, int], tuple[list[Ints], int]]

# how many fields of a run the loop reads before it looks up
_RUN = 1 << 10
# with fewer bytes than this left, the loop is as fast as leaps
_LEAP_FROM = 1 << 19
# a message in which leaps lead nowhere that often is left to the loop
_MAX_LEAPS = 16
# bytes to skip by wire type, of those with a fixed size
_FIXED_SIZES = {FIXED64: 8, FIXED32: 4}


def field_positions(
    data: bytes, words: Words, position: int, end: int, progress: Progress | None = None
) -> Ints:
    """The start of each field of a message; a broken one is the last, for others to judge."""
    parts = [part for _, part in field_runs(data, words, position, end, progress)]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def field_runs(
    data: bytes,
    words: Words,
    position: int,
    end: int,
    progress: Progress | None = None,
    leap: Leap = run_starts,
) -> Iterator[tuple[int, Ints]]:
    """The same in pieces: fields of one tag, or of any, with 0 in place of it."""
    leaps = _MAX_LEAPS
    while position < end:
        look(data, position, position)
        read, position, tag = _in_a_loop(data, position, end)
        yield 0, np.array(read, np.int64)
        if progress is not None:
            progress(min(position, end))
        if tag and leaps and end - position >= _LEAP_FROM:
            leaps -= 1
            size = (position - read[-_RUN]) // _RUN
            parts, position = leap(words, position, end, tag, progress, size)
            yield from ((tag, part) for part in parts)


def _in_a_loop(data: bytes, position: int, end: int) -> tuple[list[int], int, int]:
    """Some fields from `position` on, where the next is, and the tag of the run that goes on."""
    positions: list[int] = []
    add = positions.append
    try:
        while position < end:
            tag = data[position]
            if tag & 0x87 != BYTES or tag < 8:
                add(position)
                position = _after_field(data, position)
                continue
            # a run of one repeated field, with sizes of one or two bytes: most of a large file
            for _ in range(_RUN):
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
                return positions, position, tag
    except (IndexError, WireFault):
        position = end  # the field that starts at the last position is broken
    return positions, position, 0


def _after_field(data: bytes, position: int) -> int:
    tag, after = varint(data, position)
    kind = tag & 7
    if tag < 8 or kind not in (VARINT, BYTES, *_FIXED_SIZES):
        raise WireFault("no field starts like this", position)
    if kind == VARINT:
        return varint(data, after)[1]
    if kind == BYTES:
        size, after = varint(data, after)
        return after + size
    return after + _FIXED_SIZES[kind]
