"""When any of some events of a plane went on."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.model.xspace import Plane

Ints = npt.NDArray[np.int64]


def union_of(plane: Plane, rows: Ints) -> Intervals:
    """Of rows that rise. Line by line: there events stand by start, and need not be sorted."""
    bounds = np.searchsorted(rows, plane.lines.first).tolist()
    lines = (rows[begin:end] for begin, end in pairwise(bounds) if begin < end)
    return Intervals.none().join(*(_on_line(plane, mine) for mine in lines))


def _on_line(plane: Plane, rows: Ints) -> Intervals:
    start = plane.events.start_ps.take(rows)
    return Intervals.union(start, start + plane.events.duration_ps.take(rows))
