"""Where the fields of one long run start, found from many places at once.

Each field says where the next one starts, so a run has to be followed from its beginning. But
whoever starts anywhere and follows what looks like fields soon falls into step with the true ones.
So walkers start all over the run, and each vouches for the next: if it arrives exactly where the
next one started, that start was true. What is after the first that misses is not believed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tfprof.wire.words import WORD, Words, varints_in

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Progress = Callable[[int], None]

# bytes between two walkers, and how many go together
_STRIDE = 1 << 12
_WALKERS = 1 << 12
# fields that a walker follows before it is taken to be in step
_WARM_UP = 24
# a walker that is not in step after so many tries is given up
_MAX_TRIES = 400

_TAG_BYTE, _EIGHT = np.uint64(0xFF), np.uint64(8)


def run_starts(
    words: Words, begin: int, end: int, tag: int, progress: Progress | None = None
) -> tuple[Ints, int]:
    """Starts of the fields with the one-byte `tag` of a sized field that follow from `begin` on.

    And where the proven part ends: at the end, at another field, or where nobody vouches for more.
    """
    parts: list[Ints] = []
    position = begin
    while position < end:
        stop = min(end, position + _STRIDE * _WALKERS)
        starts = _walkers(words, position, stop, end, tag)
        found, arrived = _walk(words, starts, stop, end, tag)
        parts.append(found)
        if progress is not None:
            progress(arrived)
        if arrived < stop:
            return np.concatenate(parts), arrived
        position = arrived
    return np.concatenate(parts), position


def _next(words: Words, position: Ints, end: int, tag: int) -> tuple[Ints, Mask]:
    """Where the field behind each one starts, and whether it is a whole one with this tag."""
    word = words.at(position)
    fits = (word & _TAG_BYTE) == np.uint64(tag)
    word >>= _EIGHT
    value, size = varints_in(word)
    after = value.view(np.int64) + size
    after += position
    after += 1
    fits &= (size < WORD) & (after <= end)
    return after, fits


def _walkers(words: Words, begin: int, stop: int, end: int, tag: int) -> Ints:
    """Where walkers start: `begin`, and places that seem to be in step with it."""
    candidate = np.arange(begin + _STRIDE, stop, _STRIDE)
    position = candidate.copy()
    steps = np.zeros(len(candidate), np.int64)
    starts = [np.array([begin], np.int64)]
    for _ in range(_MAX_TRIES):
        if not len(position):
            break
        after, fits = _next(words, position, end, tag)
        # whatever does not fit starts over, a byte later
        candidate += ~fits
        position = np.where(fits, after, candidate)
        steps = np.where(fits, steps + 1, 0)
        inside = position < stop
        starts.append(position[inside & (steps == _WARM_UP)])
        open_ = np.flatnonzero(inside & (steps < _WARM_UP))
        position, candidate, steps = position[open_], candidate[open_], steps[open_]
    return np.unique(np.concatenate(starts))


def _walk(words: Words, starts: Ints, stop: int, end: int, tag: int) -> tuple[Ints, int]:
    """The fields that the walkers met, as far as they are proven, and where the proof ends."""
    goals = np.append(starts[1:], stop)
    arrived = starts.copy()
    counts = np.zeros(len(starts), np.int64)
    met: list[tuple[Ints, Ints]] = []
    walker, position, goal = np.arange(len(starts)), starts, goals
    while len(walker):
        after, fits = _next(words, position, end, tag)
        if not fits.all():
            good = np.flatnonzero(fits)
            walker, position, after, goal = walker[good], position[good], after[good], goal[good]
        met.append((walker, position))
        counts[walker] += 1
        arrived[walker] = after
        going = np.flatnonzero(after < goal)
        walker, position, goal = walker[going], after[going], goal[going]
    missed = np.flatnonzero(arrived[:-1] != goals[:-1])
    last = int(missed[0]) if len(missed) else len(starts) - 1
    places = np.cumsum(counts) - counts
    found = np.zeros(int(counts.sum()), np.int64)
    for number, (walkers, positions) in enumerate(met):
        found[places[walkers] + number] = positions
    return found[: int(counts[: last + 1].sum())], int(arrived[last])
