"""The events of a plane that a stretch of time meets, found without looking at all of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.model.xspace import Plane

Ints = npt.NDArray[np.int64]


class Overlapping:
    def __init__(self, plane: Plane) -> None:
        self._plane = plane
        self._end = plane.events.end_ps
        # how far anything on the line has reached, up to each event: that rises, as starts do
        self._reach = np.empty(len(self._end), np.int64)
        for line in range(len(plane.lines)):
            span = plane.rows_of_line(line)
            np.maximum.accumulate(self._end[span], out=self._reach[span])

    def rows(self, begin: int, end: int) -> Ints:
        """Those that last, and run at any time from `begin` to `end`."""
        found = [self._of_line(line, begin, end) for line in range(len(self._plane.lines))]
        return np.concatenate([np.zeros(0, np.int64), *found])

    def _of_line(self, line: int, begin: int, end: int) -> Ints:
        span = self._plane.rows_of_line(line)
        start = self._plane.events.start_ps[span]
        low = int(np.searchsorted(self._reach[span], begin, side="right"))
        high = int(np.searchsorted(start, end, side="left"))
        near = np.arange(span.start + low, span.start + max(low, high))
        lasts = self._end[near] > np.maximum(begin, self._plane.events.start_ps[near])
        return near[lasts]
