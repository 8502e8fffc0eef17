"""Pipelines that feed others: what copies elements to a device reads them from a pipeline itself.

The copying pipeline ends in a generator whose function calls the device where the other one is.
That one fetches only while such a call is going on.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.input_events.event_names import is_remote_call, rows_where
from tfprof.analyses.input_events.iterators import IteratorCalls, iterator_calls, leaf
from tfprof.model.xspace import Plane
from tfprof.wire.distinct import distinct, without

Ints = npt.NDArray[np.int64]

_NONE = np.zeros(0, np.int64)
_READER = "Generator"


def fed_fetches(plane: Plane, fetches: Ints) -> Ints:
    """Those of some events that fetch for another pipeline, not for the model."""
    if not len(rows_where(plane, is_remote_call)):
        return _NONE
    calls = iterator_calls(plane)
    root = _root_within(calls, plane, fetches)
    return fetches[np.isin(root, fed_roots(plane, calls, fetches))]


def fed_roots(plane: Plane, calls: IteratorCalls, fetches: Ints) -> Ints:
    """The root iterators, as numbers of the calls, that feed another pipeline."""
    reads = calls.path.map(is_reader) & (calls.duration > 0)
    if not reads.any() or not len(rows_where(plane, is_remote_call)):
        return _NONE
    reading = Intervals.union(calls.start[reads], calls.end[reads])
    start = plane.events.start_ps[fetches]
    end = start + plane.events.duration_ps[fetches]
    during = reading.covered_between(start, end) == end - start
    # what was going on when the capture began or ended is not recorded
    seen = (start >= reading.starts[0]) & (end <= reading.ends[-1])
    root = _root_within(calls, plane, fetches)
    # a pipeline that reads by itself, or fetches at another time too, is one of the model
    others = np.append(calls.root[reads], root[seen & ~during])
    return without(root[during & (root >= 0)], others)


def roots_without_fetch(plane: Plane, calls: IteratorCalls, fetches: Ints) -> Ints:
    """Roots that no kernel fetches from, though others are: what serves several devices does so."""
    if not len(fetches) or not len(rows_where(plane, is_remote_call)):
        return _NONE
    return without(calls.root, _root_within(calls, plane, fetches))


def is_reader(path: str) -> bool:
    return leaf(path) == _READER


def _root_within(calls: IteratorCalls, plane: Plane, fetches: Ints) -> Ints:
    """The root iterator that each fetch calls, -1 if it calls none."""
    found = np.full(len(fetches), -1, np.int64)
    line = plane.line_of(fetches)
    start = plane.events.start_ps[fetches]
    end = start + plane.events.duration_ps[fetches]
    outer = np.flatnonzero(calls.holder < 0)
    for one in distinct(line).tolist():
        mine = np.flatnonzero(line == one)
        roots = outer[calls.line[outer] == one]
        if not len(roots):
            continue
        next_ = np.minimum(np.searchsorted(calls.start[roots], start[mine]), len(roots) - 1)
        call = roots[next_]
        inside = (calls.start[call] >= start[mine]) & (calls.end[call] <= end[mine])
        found[mine[inside]] = calls.root[call[inside]]
    return found
