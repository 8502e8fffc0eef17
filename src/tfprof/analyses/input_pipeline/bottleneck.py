"""How much of its time a model waits for a pipeline, and which stage it waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.input_pipeline.pipelines import Pipeline
from tfprof.analyses.input_pipeline.stage_times import StageTimes
from tfprof.model.medians import median_of, medians_of
from tfprof.results.input import Bottleneck, FunctionRow, Waiting
from tfprof.results.input_bound import MATTERS
from tfprof.results.step_windows import Steps

Ints = npt.NDArray[np.int64]
# what functions ran in the first share of a run
Functions = Callable[[float], Sequence[FunctionRow]]

# of fewer calls none can be left out
_FEW_CALLS = 3
# functions that run for less than this share of the wait for them are waiting for a thread
_HARDLY = 0.1
# most that run at all have run for longer than that in a part of the run
_PARTS = (0.25, 1.0)


def waiting(waits: Intervals, steps: Steps, asked: Ints) -> Waiting | None:
    """None where nothing marks a time that could be compared.

    `asked` is when elements were asked for, by time.
    """
    by_steps = bool(steps.windows)
    if by_steps:
        windows = steps.windows[steps.averaged]
        begins = np.array([step.begin for step in windows], np.int64)
        ends = np.array([step.until for step in windows], np.int64)
    else:
        begins, ends = asked[:-1], asked[1:]
    lengths = ends - begins
    if not lengths.sum():
        return None
    waited = int(waits.covered_between(begins, ends).sum())
    return Waiting(waited, int(lengths.sum()), int(median_of(lengths)), len(lengths), by_steps)


def bottleneck(
    pipeline: Pipeline,
    times: Sequence[StageTimes],
    functions: Functions,
    whole: Waiting | None,
) -> Bottleneck | None:
    """The stage that blocks most in the median of the calls that wait for something.

    None where what is waited is too little, the slowest call left out: one slow call, such as
    the first, is no bottleneck.
    """
    rows = pipeline.first.calls
    rows = rows[np.argsort(pipeline.calls.start[rows], kind="stable")]
    start, end = pipeline.calls.start[rows], pipeline.calls.end[rows]
    blocked = np.stack([one.blocked.covered_between(start, end) for one in times])
    each = blocked.sum(axis=0)
    if whole is None or not each.any():
        return None
    usual = each.sum() - (each.max() if len(each) >= _FEW_CALLS else 0)
    if min(usual, whole.waited) < MATTERS * whole.time:
        return None
    between = median_of(np.diff(start)) if len(start) > 1 else whole.period
    slow = each >= MATTERS * between
    chosen = slow if slow.any() else each > 0
    medians = medians_of(blocked[:, chosen], 1)
    stage = int(medians.argmax())
    median, calls = int(medians[stage]), int(chosen.sum())
    busy = _takes_the_threads(stage, times, functions)
    if busy is not None:
        return Bottleneck(busy, median, calls, len(rows), stage)
    return Bottleneck(stage, median, calls, len(rows))


def _takes_the_threads(stage: int, times: Sequence[StageTimes], functions: Functions) -> int | None:
    """The stage that keeps the threads from the functions of another, which hardly run at all."""
    blocking = times[stage].blocking
    work = np.zeros(len(times), np.int64)
    for part in _PARTS:
        work[:] = 0
        for op in functions(part):
            work[op.at] += op.self_time
        if work[stage] >= _HARDLY * blocking:
            return None
    busiest = int(work.argmax())
    return busiest if work[stage] and work[busiest] > blocking else None
