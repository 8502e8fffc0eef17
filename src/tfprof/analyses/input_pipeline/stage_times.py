"""What the stages of a pipeline took, and for which of it the model waited.

A call's self time is without the calls within it, and without the time in which it waited for the
threads of the stage below. A stage is waited for while it runs within a wait of the stage above,
and so on up to the model: that is its demand. What of it no stage below accounts for is blocking:
over all stages it adds up to what the model waited.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.input_pipeline.pipelines import Pipeline, Stage
from tfprof.frozen_dataclass import frozen_dataclass

Ints = npt.NDArray[np.int64]


@frozen_dataclass
class StageTimes:
    """Picoseconds; `own` is the self time of each call, `blocked` when the stage was blocking.

    `unseen` is what of that came before the first call of the stage below on its own thread: what
    was waited for then had begun before the capture, or the thread was starting.
    """

    total: int
    own: Ints
    blocked: Intervals
    unseen: int = 0

    @property
    def self_time(self) -> int:
        return int(self.own.sum())

    @property
    def blocking(self) -> int:
        return self.blocked.length


def stage_times(pipeline: Pipeline, waits: Intervals) -> list[StageTimes]:
    """One a stage; `waits` is when the model waited."""
    own = _own(pipeline)
    demand: list[Intervals] = []
    for stage in pipeline.stages:
        asked = waits if stage.parent is None else demand[stage.parent]
        demand.append(_spans(pipeline, [stage]).both(asked))
    return [
        _times(pipeline, at, own[stage.calls], demand) for at, stage in enumerate(pipeline.stages)
    ]


def _times(pipeline: Pipeline, at: int, own: Ints, demand: Sequence[Intervals]) -> StageTimes:
    stage = pipeline.stages[at]
    below = pipeline.children(at)
    blocked = demand[at].minus(_joined([demand[child] for child in below]))
    unseen = 0
    elsewhere = [pipeline.stages[child] for child in below if pipeline.stages[child].detached]
    if elsewhere and len(blocked):
        first = min(int(pipeline.calls.start[one.calls].min()) for one in elsewhere)
        unseen = int(blocked.covered([first])[0])
    total = int(pipeline.calls.duration[stage.calls].sum())
    return StageTimes(total, own, blocked, unseen)


def _own(pipeline: Pipeline) -> Ints:
    """The self time of each call; of calls of other pipelines their time without what they call."""
    calls = pipeline.calls
    nested = calls.holder >= 0
    inner = np.zeros(len(calls), np.int64)
    # integers: a sum of floats loses picoseconds
    np.add.at(inner, calls.holder[nested], calls.duration[nested])
    own = calls.duration - inner
    for at, stage in enumerate(pipeline.stages):
        below = [pipeline.stages[child] for child in pipeline.children(at)]
        elsewhere = [child for child in below if child.detached]
        if elsewhere:
            spans = _spans(pipeline, elsewhere)
            start, end = calls.start[stage.calls], calls.end[stage.calls]
            own[stage.calls] -= spans.covered_between(start, end)
    at_least_nothing: Ints = np.maximum(own, 0)
    return at_least_nothing


def _spans(pipeline: Pipeline, stages: Sequence[Stage]) -> Intervals:
    rows = np.concatenate([stage.calls for stage in stages])
    return Intervals.union(pipeline.calls.start[rows], pipeline.calls.end[rows])


def _joined(some: Sequence[Intervals]) -> Intervals:
    return Intervals.none().join(*some)
