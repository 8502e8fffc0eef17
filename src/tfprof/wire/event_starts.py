"""Where the events of a line start: all that looks like one is found first, then proven.

Nearly all events begin alike: tag, a size of one byte, name, offset. Few other bytes look so. As
each event says where the next one starts, who starts at a true one finds out which others are.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import numpy.typing as npt

from tfprof.wire.leaps import Progress, run_starts
from tfprof.wire.schema import BYTES, VARINT
from tfprof.wire.varint import WireFault, varint
from tfprof.wire.words import Bytes, Words

Ints = npt.NDArray[np.int64]

# tags of one byte: the event in its line, and its first two fields
EVENT_TAG = 4 << 3 | BYTES
NAME_TAG, OFFSET_TAG = 1 << 3 | VARINT, 2 << 3 | VARINT
# bytes that are looked at together: all that is made of them stays in the processor's cache
_BLOCK = 1 << 18
# more than tag and size of an event take, or what is seen of one that looks like most do
_AHEAD = 16
# the bit of a byte that says that a number goes on
_MORE = 0x80
# bytes of the longest event with a size of one byte
_LONGEST = 2 + _MORE
# with more events in a block that look otherwise, following them one by one takes too long
_MOST_ODD = 64


def event_starts(
    words: Words, begin: int, end: int, tag: int, progress: Progress | None = None, size: int = 0
) -> tuple[list[Ints], int]:
    """As `run_starts`, which goes on where events look otherwise."""
    if tag != EVENT_TAG:
        return run_starts(words, begin, end, tag, progress, size)
    parts: list[Ints] = []
    position = begin
    while end - position > _AHEAD:
        block = words.stretch(position, min(position + _BLOCK, end))
        left = end - position
        starts, after = _proven(block, left)
        parts.append(starts + position)
        position += after
        if progress is not None:
            progress(position)
        if after < len(block) - _AHEAD:
            if _behind(block, after, left) is not None:
                more, position = run_starts(words, position, end, tag, progress, size)
                parts += more
            break
    return parts, position


def _proven(block: Bytes, end: int) -> tuple[Ints, int]:
    """The events of a block that starts with one, and where the next one starts, maybe behind it.

    Within it if many look otherwise, or if there is another field.
    """
    alike, after = _alike(block, end)
    # the last rows of runs: the next one is none, or what follows looks otherwise
    last = np.append(np.flatnonzero(after[:-1] != alike[1:]), len(alike) - 1)[: len(alike)]
    ends, goals = last.tolist(), after[last].tolist()
    rows = np.searchsorted(alike, after[last]).tolist()
    kept, odd = np.zeros(len(alike), bool), list[int]()
    position = row = run = 0
    while position < len(block) - _AHEAD:
        if row < len(alike) and alike.item(row) == position:
            run = bisect_left(ends, row, run)
            kept[row : ends[run] + 1] = True
            position, row = goals[run], rows[run]
            continue
        behind = _behind(block, position, end)
        if behind is None or len(odd) == _MOST_ODD:
            break
        odd.append(position)
        position, row = behind, int(np.searchsorted(alike, behind))
    starts = alike[kept]
    return np.sort(np.append(starts, np.array(odd, np.int64))) if odd else starts, position


def _alike(block: Bytes, end: int) -> tuple[Ints, Ints]:
    """Where what looks like an event starts, and where it ends: no later than at `end`."""
    count = len(block) - _AHEAD
    fits = block[4 : count + 4] == OFFSET_TAG
    fits |= block[5 : count + 5] == OFFSET_TAG
    fits &= block[:count] == EVENT_TAG
    fits &= block[2 : count + 2] == NAME_TAG
    fits &= block[1 : count + 1] < _MORE
    starts = np.flatnonzero(fits)
    after = starts + block[1:].take(starts)
    after += 2
    if count + _LONGEST <= end:
        return starts, after
    whole = np.flatnonzero(after <= end)
    return starts[whole], after[whole]


def _behind(block: Bytes, position: int, end: int) -> int | None:
    """Where any event ends; None if there is no whole one."""
    head = block[position : position + _AHEAD].tobytes()
    try:
        size, after = varint(head, 1)
    except (IndexError, WireFault):
        return None
    after += position + size
    return after if head[0] == EVENT_TAG and after <= end else None
