"""Which ops were called one by one, and which by a function."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.runtime.op_events import OpEvents, on_planes
from tfprof.model.trace import Trace
from tfprof.model.xspace import HOST_THREADS, Plane

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_EAGER = re.compile(r"Eager(?:Kernel|Local)?Execute.*")
_FUNCTION = re.compile(r"FunctionRun|ExecutorState::Process|ExecutorState::RunAsync")
_STATED = "is_eager"


def is_eager(trace: Trace, runs: OpEvents) -> Mask:
    """Of threads of hosts: inside a call of the eager runtime, and in no run of a function.

    A tool may have written it to the events.
    """
    found = np.zeros(len(runs), bool)
    if trace.space is None or runs.event is None:
        return found
    for plane, here, mine in on_planes(trace.space, runs.event, ~runs.on_device):
        if plane.name != HOST_THREADS:
            continue
        if plane.has_stat(_STATED):
            found[here] = plane.stat(_STATED).over_all()[mine] > 0
        else:
            found[here] = _inside(plane, mine, _EAGER) & ~_inside(plane, mine, _FUNCTION)
    return found


def _inside(plane: Plane, rows: Ints, names: re.Pattern[str]) -> Mask:
    """Whether each of some events is within one of such a name, on the same line."""
    fits = np.array([names.fullmatch(name) is not None for name in plane.event_names.name], bool)
    around = np.flatnonzero(fits[plane.events.name])
    found = np.zeros(len(rows), bool)
    if not len(around):
        return found
    line, line_around = plane.line_of(rows), plane.line_of(around)
    for one in np.unique(line_around).tolist():
        mine = np.flatnonzero(line == one)
        held = around[line_around == one]
        start = plane.events.start_ps[held]
        union = Intervals.union(start, plane.events.end_ps[held])
        if not len(mine) or not len(union):
            continue
        at = plane.events.start_ps[rows[mine]]
        place = np.searchsorted(union.starts, at, side="right") - 1
        found[mine] = (place >= 0) & (at < union.ends[np.maximum(place, 0)])
    return found
