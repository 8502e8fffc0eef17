"""Calls in which a stage fills a buffer: a shuffle takes all it has room for before the first."""

from __future__ import annotations

import numpy as np

from tfprof.analyses.input_pipeline.pipelines import Pipeline
from tfprof.analyses.input_pipeline.stage_kinds import kind_of
from tfprof.model.medians import median_of
from tfprof.results.input import BufferFill, StageKind

# a usual call takes one element, or a few that others were dropped for
_MANY, _MORE = 10, 10


def buffer_fill(pipeline: Pipeline, at: int) -> BufferFill | None:
    """None of other stages, and where no call took many more elements than the usual one."""
    stage, calls = pipeline.stages[at], pipeline.calls
    below = [pipeline.stages[child].calls for child in pipeline.children(at)]
    if kind_of(stage) is not StageKind.SHUFFLE or not below or not len(stage.calls):
        return None
    mine = np.sort(stage.calls)
    caller = calls.caller[np.concatenate(below)]
    caller = caller[np.isin(caller, mine)]
    taken = np.bincount(np.searchsorted(mine, caller), minlength=len(mine))
    fills = np.flatnonzero(taken >= max(_MANY, _MORE * median_of(taken)))
    if not len(fills):
        return None
    most = fills[taken[fills].argmax()]
    return BufferFill(int(taken[most]), len(fills), int(calls.duration[mine[fills]].sum()))
