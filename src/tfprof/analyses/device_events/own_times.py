"""How long each event of a device took by itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.self_time import self_times
from tfprof.model.device_times import device_times
from tfprof.model.xspace import Plane

Ints = npt.NDArray[np.int64]

_TOGETHER = 1 << 18


def own_times_of(plane: Plane, rows: Ints) -> Ints:
    """Without the instructions inside a loop or a call; these times add up."""
    own = np.empty(len(rows), np.int64)
    for some in _lines_together(plane, rows):
        start, duration = device_times(plane, rows[some])
        line = plane.line_of(rows[some])
        order = np.lexsort((-duration, start, line))
        own[some][order] = self_times(line[order], start[order], duration[order])
    return own


def _lines_together(plane: Plane, rows: Ints) -> Iterator[slice]:
    """Whole lines, some events at a time: what is in between takes much memory."""
    if not (rows[1:] > rows[:-1]).all():
        yield slice(0, len(rows))
        return
    edges = np.searchsorted(rows, plane.lines.first).tolist()
    begin = 0
    for edge in edges:
        if edge - begin >= _TOGETHER or edge == len(rows) > begin:
            yield slice(begin, edge)
            begin = edge
