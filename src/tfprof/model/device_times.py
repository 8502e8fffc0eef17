"""When the events of a device were, by its own clock if it told.

A TPU writes times twice: brought to the clock of the host, where a correction of the clocks falls
into some event and makes it as long as that, and as it measured them itself. What an op took is
known by the latter; what it stands beside, such as the run of its program, only by the former.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.model.kernel_lines import is_tpu
from tfprof.model.xspace import Plane

Ints = npt.NDArray[np.int64]

_START, _DURATION = "device_offset_ps", "device_duration_ps"


def device_times(plane: Plane, rows: Ints) -> tuple[Ints, Ints]:
    """Start and duration of some events; those of the host's clock unless all have others."""
    if is_tpu(plane) and plane.has_stat(_START) and plane.has_stat(_DURATION):
        start, took = plane.stat(_START), plane.stat(_DURATION)
        if start.present[rows].all() and took.present[rows].all():
            duration = np.maximum(took.over_all()[rows], 0)
            return start.over_all()[rows], duration
    return plane.events.times(rows)
