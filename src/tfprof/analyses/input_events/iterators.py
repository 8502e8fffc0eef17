"""The calls of tf.data iterators on one host: which stage each is of, and below which root.

An iterator has an id and that of its parent: 64 bits, which a file may hold signed or unsigned.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.self_time import NOBODY, holders
from tfprof.analyses.input_events.event_names import SEPARATOR, is_iterator, is_root, rows_where
from tfprof.analyses.input_events.iterator_lives import told_apart
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.interned import Interned
from tfprof.model.xspace import Plane
from tfprof.wire.distinct import without

Ints = npt.NDArray[np.int64]

_ID, _PARENT = "id", "parent_id"
# Stages whose inputs differ; what others number are their inputs one after the other, all alike.
_SEVERAL_INPUTS = ("Zip", "Concatenate", "DirectedInterleave", "ChooseFastest")
_NUMBERED = late_pattern(r"(?P<stage>\w+)\[\d+\]")


@frozen_dataclass
class IteratorCalls:
    """One row a call; `row` is that of the event in the plane, and rises.

    `holder` is the call that a call is within on its thread, -1 if it is within none. `caller` is
    that one or, of a call on a thread of its own, the call of its parent it is for; -1 without one.
    `root` numbers iterators: the one that a call is for in the end. `path` has the stages from the
    root on, told apart only where a stage has several inputs.
    """

    row: Ints
    line: Ints
    start: Ints
    end: Ints
    holder: Ints
    caller: Ints
    root: Ints
    path: Interned

    def __len__(self) -> int:
        return len(self.row)

    @property
    def duration(self) -> Ints:
        return self.end - self.start


def iterator_calls(plane: Plane) -> IteratorCalls:
    rows = rows_where(plane, is_iterator)
    line = plane.line_of(rows)
    start = plane.events.start_ps[rows]
    end = start + plane.events.duration_ps[rows]
    holder = holders(line, start, end)
    iterator, parent = _related(plane, rows)
    caller = np.where(holder >= 0, holder, _calls_before(iterator, parent, start))
    paths = _paths(plane, rows)
    caller[paths.map(is_root)] = NOBODY
    top = _tops(caller)
    root = told_apart(plane, iterator[top], start[top])
    return IteratorCalls(rows, line, start, end, holder, caller, root, paths)


def _related(plane: Plane, rows: Ints) -> tuple[Ints, Ints]:
    """The iterator of each call and its parent, as numbers; a parent without calls is -1."""
    ids, parents = plane.stats_of_rows(rows, _ID, _PARENT)
    known, number = np.unique(ids.ints(), return_inverse=True)
    # without an id, calls of one name are those of one iterator
    unnamed = without(rows, ids.rows)
    _, other = np.unique(plane.events.name[unnamed], return_inverse=True)
    iterator = np.zeros(len(rows), np.int64)
    iterator[np.searchsorted(rows, ids.rows)] = number
    iterator[np.searchsorted(rows, unnamed)] = other + len(known)
    parent = np.full(len(rows), NOBODY, np.int64)
    if len(known):
        place = np.minimum(np.searchsorted(known, parents.ints()), len(known) - 1)
        there = known[place] == parents.ints()
        parent[np.searchsorted(rows, parents.rows[there])] = place[there]
    return iterator, parent


def _calls_before(iterator: Ints, parent: Ints, start: Ints) -> Ints:
    """The last call of its parent that had begun when a call began, else the first one after.

    An id is used again when its iterator is gone, so that only time tells which one is meant.
    """
    count = len(start)
    rank = np.empty(count, np.int64)
    rank[np.argsort(start, kind="stable")] = np.arange(count)
    key = iterator * count + rank
    order = np.argsort(key)
    place = np.searchsorted(key[order], parent * count + rank)
    found = np.full(count, NOBODY, np.int64)
    # what comes later takes the place of what was found
    for neighbour in (place, place - 1):
        some = np.flatnonzero((parent >= 0) & (neighbour >= 0) & (neighbour < count))
        call = order[neighbour[some]]
        same = iterator[call] == parent[some]
        found[some[same]] = call[same]
    return found


def _tops(caller: Ints) -> Ints:
    """The first in the chain of callers; twice as far a round, and so often as a chain is long."""
    top = np.where(caller >= 0, caller, np.arange(len(caller)))
    for _ in range(len(caller).bit_length()):
        top = top[top]
    return top


def _paths(plane: Plane, rows: Ints) -> Interned:
    used, codes = np.unique(plane.events.name[rows], return_inverse=True)
    return _same([stage_path(plane.event_names.name[name]) for name in used.tolist()], codes)


def _same(paths: list[str], codes: npt.NDArray[np.intp]) -> Interned:
    column = Interned.of(paths)
    return Interned(column.codes[codes].reshape(-1), column.table)


def stage_path(event: str) -> str:
    """`Iterator::Root::FlatMap[7]::Range` is `Iterator::Root::FlatMap::Range`."""
    return _NUMBERED.sub(lambda m: m[0] if m["stage"] in _SEVERAL_INPUTS else m["stage"], event)


def leaf(path: str) -> str:
    """What a stage is called: the end of its path."""
    return path.rpartition(SEPARATOR)[2]


def above(path: str) -> str:
    """The path of the stage above: without its end, and without the number of its input."""
    return re.sub(r"\[\d+\]$", "", path.rpartition(SEPARATOR)[0])
