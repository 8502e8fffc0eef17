"""Self time: how long an event took without the events that ran inside it on the same line.

On a line, which is a thread of a host or a stream of a device, an event belongs to the innermost
earlier one that holds it whole. What only overlaps belongs to nobody.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

NOBODY = -1


def holders(line: Ints, start: Ints, end: Ints) -> Ints:
    """The row that each event belongs to, -1 without one.

    Rows stand line by line; in a line by start, outer events before inner ones.
    """
    found = np.arange(-1, len(start) - 1)
    found[~_inside_something(line, start, end)] = NOBODY
    # An event that ends too early to hold this one hands on to the one it has found itself:
    # what stands between the two ends earlier still. So each round doubles how far all look back.
    open_ = np.flatnonzero(found >= 0)
    while len(open_):
        asked = found[open_]
        open_ = open_[end[asked] < end[open_]]
        found[open_] = found[found[open_]]
        open_ = open_[found[open_] >= 0]
    return found


def _inside_something(line: Ints, start: Ints, end: Ints) -> npt.NDArray[np.bool_]:
    """Whether anything on the line still runs when an event starts: most have nothing around."""
    inside = np.zeros(len(start), bool)
    bounds = [0, *(np.flatnonzero(np.diff(line)) + 1).tolist(), len(line)]
    for begin, stop in pairwise(bounds):
        running = np.maximum.accumulate(end[begin : stop - 1])
        inside[begin + 1 : stop] = start[begin + 1 : stop] < running
    return inside


def self_times(line: Ints, start: Ints, duration: Ints) -> Ints:
    """Each duration without those of the events that belong to it."""
    return own_times(holders(line, start, start + duration), duration)


def own_times(holder: Ints, duration: Ints) -> Ints:
    """The same where it is known which event belongs to which."""
    held = holder >= 0
    # integers: a sum of floats loses picoseconds
    inner = np.zeros(len(duration), np.int64)
    np.add.at(inner, holder[held], duration[held])
    # inner events that overlap each other may take longer than the outer one
    own: Ints = np.maximum(duration - inner, 0)
    return own
