"""Elements on their way through a prefetch buffer: how long each lay there before it was taken."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.self_time import holders
from tfprof.analyses.input_events.event_names import together
from tfprof.analyses.input_pipeline.pipelines import Pipeline
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]

_MADE, _TAKEN = "PrefetchProduce", "PrefetchConsume"
_ELEMENT = "element_id"


def ready_ahead(pipeline: Pipeline) -> dict[int, Ints]:
    """By stage: for each element, picoseconds from when it was ready to when it was taken.

    The thread that makes an element and the one that takes it note the same number for it.
    """
    plane, events = pipeline.plane, pipeline.plane.events
    made = plane.stat_of_rows(_ELEMENT, plane.named(_MADE))
    taken = plane.stat_of_rows(_ELEMENT, plane.named(_TAKEN))
    _, left, right = np.intersect1d(made.ints(), taken.ints(), return_indices=True)
    if not len(left):
        return {}
    waited = np.maximum(events.start_ps[taken.rows[right]] - events.ends(made.rows[left]), 0)
    stage = _stage_around(pipeline, taken.rows[right])
    return {at: waited[stage == at] for at in distinct(stage[stage >= 0]).tolist()}


def _stage_around(pipeline: Pipeline, rows: Ints) -> Ints:
    """The stage whose call each event is within, -1 if none of this pipeline."""
    calls, events = pipeline.calls, pipeline.plane.events
    stage_of_call = np.full(len(calls), -1, np.int64)
    for at, stage in enumerate(pipeline.stages):
        stage_of_call[stage.calls] = at
    both = together(pipeline.plane, rows, calls.row)
    line = pipeline.plane.line_of(both)
    holder = holders(line, events.start_ps[both], events.ends(both))[np.searchsorted(both, rows)]
    around = both[np.maximum(holder, 0)]
    place = np.minimum(np.searchsorted(calls.row, around), len(calls) - 1)
    known = (holder >= 0) & (calls.row[place] == around)
    return np.where(known, stage_of_call[place], -1)
