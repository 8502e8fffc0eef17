"""What began in which step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.steps.detect import find_steps
from tfprof.analyses.steps.windows import StepWindow
from tfprof.model.trace import Trace

Ints = npt.NDArray[np.int64]


def steps_of(trace: Trace) -> Sequence[StepWindow]:
    """Of a capture; the records of other runs name their steps themselves."""
    return find_steps(trace.space).windows if trace.space is not None else ()


def in_steps(windows: Sequence[StepWindow], start_ps: Ints) -> npt.NDArray[np.bool_]:
    """Whether each began in the period of a step."""
    begins = np.array([window.begin for window in windows], np.int64)
    # before all steps there is one that was over
    untils = np.array([*(window.until for window in windows), np.iinfo(np.int64).min])
    found: npt.NDArray[np.bool_] = start_ps < untils[np.searchsorted(begins, start_ps, "right") - 1]
    return found


def mean_period(windows: Sequence[StepWindow]) -> float:
    """Of the last step it is not known when the next one began, unless it is the only one."""
    known = windows[:-1] or windows
    return sum(window.period for window in known) / len(known)
