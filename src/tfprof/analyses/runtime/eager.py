"""Which ops were called one by one, and which by a function."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.runtime.op_events import OpEvents, on_planes
from tfprof.late_pattern import late_pattern
from tfprof.model.trace import Trace
from tfprof.model.xspace import HOST_THREADS, Plane

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_EAGER = late_pattern(r"Eager(?:Kernel|Local)?Execute.*")
# a function that was compiled whole runs as one kernel, which has its name
_FUNCTION = late_pattern(
    r"FunctionRun|ExecutorState::Process|ExecutorState::RunAsync|__inference_.+"
)
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
            # executions stand first, what only the pipeline did behind them
            order = np.argsort(mine, kind="stable")
            order = order[_inside(plane, mine[order], _EAGER)]
            found[here[order]] = ~_inside(plane, mine[order], _FUNCTION)
    return found


def _inside(plane: Plane, rows: Ints, names: re.Pattern[str]) -> Mask:
    """Whether each of some events, whose rows rise, is within one of such a name, on its line."""
    fits = [row for row, name in enumerate(plane.event_names.name) if names.fullmatch(name)]
    around = plane.rows_called(fits)
    found = np.zeros(len(rows), bool)
    if not len(around) or not len(rows):
        return found
    lines, first = np.unique(plane.line_of(around), return_index=True)
    for line, held in zip(lines.tolist(), np.split(around, first[1:]), strict=True):
        span = plane.rows_of_line(line)
        mine = slice(*np.searchsorted(rows, (span.start, span.stop)).tolist())
        union = Intervals.union(plane.events.start_ps[held], plane.events.ends(held))
        if not len(union):
            continue
        at = plane.events.start_ps[rows[mine]]
        place = np.searchsorted(union.starts, at, side="right") - 1
        found[mine] = (place >= 0) & (at < union.ends[np.maximum(place, 0)])
    return found
