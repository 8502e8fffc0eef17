"""Where the fields of one long run start, found from many places at once.

Each field says where the next one starts, so a run has to be followed from its beginning. But
whoever starts anywhere and follows what looks like fields soon falls into step with the true ones.
So walkers start all over the run, and each vouches for the next: if it arrives exactly where the
next one started, that start was true. What is after the first that misses is not believed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from tfprof.wire.distinct import distinct
from tfprof.wire.words import WORD, Words, short_varints, varints_in

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Progress = Callable[[int], None]

# bytes between two walkers, or fields if that is more, and how many walkers go together
_STRIDE = 1 << 12
_FIELDS = 64
_WALKERS = 1 << 11
# fields that a walker follows before it is taken to be in step
_WARM_UP = 24
# a walker that is not in step after so many tries is given up
_MAX_TRIES = 400

_TAG_BYTE, _EIGHT = np.uint64(0xFF), np.uint64(8)
# the bit of a byte that says that a number goes on
_MORE = 0x80
# where nobody walks: behind the end of every buffer, and still there after a step
_FAR = np.int64(1 << 62)
_NONE = np.zeros(0, np.int64)
# the bytes of a tag and a size of one byte
_HEAD = np.int64(2)
_BYTE = np.uint16(1 << 8)
# steps that all walkers take before those that have arrived are sent home
_STEPS = 32


def run_starts(
    words: Words, begin: int, end: int, tag: int, progress: Progress | None = None, size: int = 0
) -> tuple[list[Ints], int]:
    """Starts of the fields with the one-byte `tag` of a sized field that follow from `begin` on.

    In pieces; and where the proven part ends: at the end, at another field, or where nobody
    vouches for more. `size` is about how many bytes a field has.
    """
    parts: list[Ints] = []
    position = begin
    stride = max(_STRIDE, _FIELDS * size)
    # of a mapped file no more is held than few bytes apart take
    reach = _WALKERS * (_STRIDE if words.is_mapped else stride)
    while position < end:
        stop = min(end, position + reach)
        starts = _walkers(words, np.arange(position, stop, stride), stop, end, tag)
        found, arrived = _walk(words, starts, stop, end, tag)
        parts.append(found)
        if progress is not None:
            progress(arrived)
        if arrived < stop:
            return parts, arrived
        position = arrived
    return parts, position


def behind(words: Words, position: Ints, end: int, tag: int) -> tuple[Ints, Ints]:
    """Where the field behind each one starts; and which are no whole fields with this tag."""
    tags, sizes = words.pairs_at(position)
    more = int(sizes.max(initial=0)) >= _MORE
    leap = _leaps().take(sizes + words.thirds_at(position) * _BYTE) if more else sizes + _HEAD
    after = position + leap
    fits = tags == tag
    fits &= after <= end
    if more:
        fits &= leap > 0
    if fits.all():
        return after, _NONE
    # a size of more bytes, or no such field
    other = np.flatnonzero(~fits)
    after[other], fits = _behind_any(words, position[other], end, tag)
    return after, other[~fits]


@cache
def _leaps() -> Ints:
    """By the two bytes behind a tag, how many bytes the field has; 0 if its size has more."""
    value, size = short_varints()
    return np.where(size > 0, value.view(np.int64) + size + 1, 0)


def _behind_any(words: Words, position: Ints, end: int, tag: int) -> tuple[Ints, Mask]:
    """The same for sizes of up to seven bytes; and which of them fit."""
    word = words.at(position)
    fits = (word & _TAG_BYTE) == np.uint64(tag)
    word >>= _EIGHT
    value, size = varints_in(word)
    after = value.view(np.int64) + size
    after += position
    after += 1
    fits &= (size < WORD) & (after <= end)
    return after, fits


def _walkers(words: Words, places: Ints, stop: int, end: int, tag: int) -> Ints:
    """Where walkers start: at the first place, and where they seem in step behind the others."""
    # who finds no start up to where the next one began to look leaves it to that one
    ends = np.append(places[2:], stop)[: len(places) - 1]
    tried = words.towards(tag, places[1:])
    position = tried
    steps = np.zeros(len(tried), np.int64)
    starts = [places[:1]]
    for _ in range(_MAX_TRIES):
        if not len(position):
            break
        after, wrong = behind(words, position, end, tag)
        steps += 1
        if len(wrong):
            # whatever does not fit starts over, where the next one may start
            tried[wrong] = words.towards(tag, tried[wrong] + 1)
            after[wrong] = tried[wrong]
            steps[wrong] = 0
        position = after
        inside = (position < stop) & (tried < ends)
        if (steps == _WARM_UP).any() or not inside.all():
            starts.append(position[inside & (steps == _WARM_UP)])
            open_ = np.flatnonzero(inside & (steps < _WARM_UP))
            position, steps = position[open_], steps[open_]
            tried, ends = tried[open_], ends[open_]
    return distinct(np.concatenate(starts))


def _walk(words: Words, starts: Ints, stop: int, end: int, tag: int) -> tuple[Ints, int]:
    """The fields that the walkers met, as far as they are proven, and where the proof ends."""
    goals = np.append(starts[1:], stop)
    arrived = goals.copy()
    counts = np.zeros(len(starts), np.int64)
    met: list[tuple[Ints, Ints]] = []
    walker, position = np.arange(len(starts)), starts
    while len(walker):
        path, lost = _steps(words, position, end, tag)
        met.append((walker, path))
        limit = np.minimum(goals[walker], lost)
        steps = np.count_nonzero(path[:-1] < limit, axis=0)
        counts[walker] += steps
        # beyond its goal a walker may have gone on: it arrived where it first was there
        arrived[walker] = path[steps, np.arange(len(walker))]
        going = np.flatnonzero(path[-1] < limit)
        walker, position = walker[going], path[-1, going]
    missed = np.flatnonzero(arrived[:-1] != goals[:-1])
    last = int(missed[0]) if len(missed) else len(starts) - 1
    return _in_order(met, counts)[: int(counts[: last + 1].sum())], int(arrived[last])


def _steps(words: Words, position: Ints, end: int, tag: int) -> tuple[Ints, Ints]:
    """Where walkers are at each of some steps, one row a step; and where those are that got lost.

    Whoever stands before something else than a field with this tag is sent far away.
    """
    path = np.empty((_STEPS + 1, len(position)), np.int64)
    lost = np.full(len(position), _FAR)
    path[0] = position
    for step in range(_STEPS):
        after, stray = behind(words, path[step], end, tag)
        if len(stray):
            lost[stray] = np.minimum(lost[stray], path[step, stray])
            after[stray] = _FAR
        path[step + 1] = after
    return path, lost


def _in_order(met: list[tuple[Ints, Ints]], counts: Ints) -> Ints:
    """What walkers met, walker after walker.

    Steps that a walker took beyond its goal fall on places of the walkers behind it, and there on
    earlier steps. So the latest steps are written first, and all is overwritten by what belongs.
    """
    place = np.cumsum(counts) - counts
    found = np.empty(int(counts.sum()) + _STEPS, np.int64)
    for number, (walker, path) in reversed([*enumerate(met)]):
        to = place[walker] + ((number + 1) * _STEPS - 1)
        for step in reversed(range(_STEPS)):
            found[to] = path[step]
            to -= 1
    return found
