"""Ops that Python asks for one by one: a call of the runtime each, with the kernel's run inside."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.late_pattern import late_pattern
from tfprof.model.xspace import Plane

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

_CALL = "EagerLocalExecute: "
_RUN = "KernelAndDevice"
# functions begin with two underscores; to make or ask an iterator is no work of the model
_NO_OP = late_pattern(r"__\w+|\w*(?:Iterator|Dataset)\w*")


def eager_type(event: str) -> str:
    return event.removeprefix(_CALL)


def eager_runs(plane: Plane) -> tuple[Ints, Codes]:
    """The runs of kernels inside of calls, and the names of the calls, as codes of the plane."""
    names = plane.event_names.name
    is_call = np.array([_is_op(name) for name in names], bool)
    is_run = np.array([name.startswith(_RUN) for name in names], bool)
    code = plane.events.name
    calls, runs = np.flatnonzero(is_call[code]), np.flatnonzero(is_run[code])
    # events stand line by line, in a line by start: the first run behind a call is its own
    place = np.searchsorted(runs, calls)
    calls, place = calls[place < len(runs)], place[place < len(runs)]
    rows = runs[place]
    end = plane.events.end_ps
    own = (plane.line_of(rows) == plane.line_of(calls)) & (end[rows] <= end[calls])
    return rows[own], code[calls[own]].astype(np.int32)


def _is_op(event: str) -> bool:
    return event.startswith(_CALL) and not _NO_OP.fullmatch(eager_type(event))
