"""Iterators that have the same id, one after the other: an id is an address in memory.

Whoever is made where another has just been deleted takes over its id. That a new one is made is
recorded by itself.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.input_events.event_names import is_make_iterator, rows_where
from tfprof.model.xspace import Plane

Ints = npt.NDArray[np.int64]


def told_apart(plane: Plane, iterator: Ints, start: Ints) -> Ints:
    """Of calls of root iterators, in any order: numbers that differ where iterators do."""
    made = _made(plane)
    if not len(made) or not len(start):
        return iterator
    order = np.argsort(start, kind="stable")
    rank = np.empty(len(start), np.int64)
    rank[order] = np.arange(len(start))
    place = np.searchsorted(start[order], _of_known_ids(made, iterator[order], start[order]))
    first = order[place[place < len(order)]]
    # by iterator, then by time: so many began again before, and each makes one number more
    begun = np.unique(iterator[first] * len(start) + rank[first])
    return iterator + np.searchsorted(begun, iterator * len(start) + rank, side="right")


def _made(plane: Plane) -> Ints:
    """When iterators were ready; the op and what calls it are one."""
    rows = rows_where(plane, is_make_iterator)
    start = plane.events.start_ps[rows]
    return Intervals.union(start, start + plane.events.duration_ps[rows]).ends


def _of_known_ids(made: Ints, iterator: Ints, start: Ints) -> list[int]:
    """Of calls by time: when those were made that have ids which were in use before.

    An id that comes up for the first time is that of the last that was made before it. Who is left
    is the next that is called.
    """
    _, first = np.unique(iterator, return_index=True)
    events = [(time, False) for time in made.tolist()]
    events += [(time, True) for time in start[first].tolist()]
    left = list[int]()
    for time, is_new_id in sorted(events):
        if not is_new_id:
            left.append(time)
        elif left:
            left.pop()
    return left
