"""Events of one thread in lanes where they nest, and how long a lane was busy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_NOBODY = -1


def lanes(start: Ints, end: Ints, *, nested: bool = True) -> Ints:
    """The lane of each event, the first where it lies inside or beside all others.

    Events come by start, outer before inner ones. A thread nests its events; what runs
    asynchronously may overlap in part, and needs lanes of its own. Where threads are not told
    apart, nothing is `nested`: what lies inside another ran beside it.
    """
    found = np.zeros(len(start), np.int64)
    # whether anything still runs when an event starts; where nothing does, all lanes are free
    inside = np.append(False, start[1:] < np.maximum.accumulate(end)[:-1])[: len(start)]
    crossing = _crossing(start, end, inside) if nested else inside
    if crossing.any():
        stretch = np.cumsum(~inside)
        crossed = np.zeros(int(stretch[-1]) + 1, bool)
        crossed[stretch[crossing]] = True
        # a thread seldom has such a stretch: those are looked at event by event
        rows = np.flatnonzero(crossed[stretch])
        found[rows] = _one_by_one(start[rows], end[rows], nested=nested)
    return found


def _crossing(start: Ints, end: Ints, inside: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which events overlap an earlier one in part.

    Who ends too early to hold an event hands on to whom it has asked itself: what stands between
    the two ends earlier still, and overlaps nothing that it does not overlap.
    """
    crossing = np.zeros(len(start), bool)
    asked = np.arange(-1, len(start) - 1)
    asked[~inside] = _NOBODY
    open_ = np.flatnonzero(inside)
    while len(open_):
        ends = end[asked[open_]]
        short = ends < end[open_]
        crossing[open_[short & (ends > start[open_])]] = True
        open_ = open_[short]
        asked[open_] = asked[asked[open_]]
        open_ = open_[asked[open_] != _NOBODY]
    return crossing


def _one_by_one(start: Ints, end: Ints, *, nested: bool) -> Ints:
    found = np.zeros(len(start), np.int64)
    # the ends of the events that are open, outermost first, lane by lane
    open_ends: list[list[int]] = [[]]
    first = open_ends[0]
    for row, (begin, stop) in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        while first and first[-1] <= begin:
            first.pop()
        if not first or (nested and stop <= first[-1]):
            first.append(stop)
        else:
            found[row] = _other_lane(open_ends, begin, stop, nested=nested)
    return found


def _other_lane(open_ends: list[list[int]], begin: int, stop: int, *, nested: bool) -> int:
    for lane in range(1, len(open_ends)):
        ends = open_ends[lane]
        while ends and ends[-1] <= begin:
            ends.pop()
        if not ends or (nested and stop <= ends[-1]):
            ends.append(stop)
            return lane
    open_ends.append([stop])
    return len(open_ends) - 1


def merged(start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The stretches in which at least one event ran; events come by start."""
    if not len(start):
        return start, end
    reach = np.maximum.accumulate(end)
    begins = np.flatnonzero(np.append(True, start[1:] > reach[:-1]))
    return start[begins], reach[np.append(begins[1:], len(start)) - 1]
