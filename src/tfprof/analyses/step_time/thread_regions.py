"""The work that XLA's instructions hand to other threads, as events of those threads.

The event of an instruction may cover no more than its launch: without these stretches a step of
convolutions on a CPU seems to be half empty.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.model.host_xla import regions_of
from tfprof.model.xspace import Plane

Ints = npt.NDArray[np.int64]

_INSTRUCTION, _LAUNCH_NUMBER = "hlo_op", "correlation_id"


def instruction_rows(plane: Plane) -> Ints:
    """Of what XLA compiled for the CPU; calls of a GPU's driver name what they launch, too."""
    if not plane.has_stat(_INSTRUCTION) or plane.has_stat(_LAUNCH_NUMBER):
        return np.zeros(0, np.int64)
    return plane.stat(_INSTRUCTION).rows


def with_regions(plane: Plane) -> tuple[Plane, Ints]:
    """With the beginning of each such stretch as the stretch itself, by its instruction's name.

    And the rows of all that instructions did.
    """
    rows = instruction_rows(plane)
    regions = regions_of(plane, rows)
    if not len(regions.rows):
        return plane, rows
    events = plane.events
    name, duration = events.name.copy(), events.duration_ps.copy()
    name[regions.rows] = name[rows[regions.owner]]
    duration[regions.rows] = regions.duration_ps
    seen = replace(plane, events=replace(events, name=name, duration_ps=duration))
    return seen, np.concatenate([rows, regions.rows])
