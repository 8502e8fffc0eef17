"""How long each event of a device took by itself."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.self_time import self_times
from tfprof.model.device_times import device_times
from tfprof.model.xspace import Plane

Ints = npt.NDArray[np.int64]


def own_times_of(plane: Plane, rows: Ints) -> Ints:
    """Without the instructions inside a loop or a call; these times add up."""
    start, duration = device_times(plane, rows)
    line = plane.line_of(rows)
    order = np.lexsort((-duration, start, line))
    own = np.empty_like(duration)
    own[order] = self_times(line[order], start[order], duration[order])
    return own
