"""What a host adds to the table of op times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfprof.analyses.device_peaks import peak_of
from tfprof.analyses.executed_types import executed_types
from tfprof.analyses.layer_names import without_calls
from tfprof.analyses.op_runs import op_runs
from tfprof.analyses.op_times import groups, op_times
from tfprof.analyses.op_work import work_of
from tfprof.analyses.steps.in_steps import TraceSteps
from tfprof.model.device import Device
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.results.op_times import OpTimesPartial

if TYPE_CHECKING:  # without a graph there are none, and need not be imported
    from tfprof.analyses.layers import Layer
    from tfprof.analyses.static_costs import StaticCosts


def partial_of(
    data: ProfileData,
    trace: Trace,
    by: str,
    costs: StaticCosts | None = None,
    layers: Sequence[Layer] = (),
    *,
    sketched: bool = False,
) -> OpTimesPartial:
    """With FLOPs and bytes where the graph's `costs` are known, and its `layers`.

    To be merged with those of other hosts it has to be `sketched`.
    """
    runs = op_runs(trace, executed_types(data)).timed()
    known = {without_calls(op.site.name): layer.name for layer in layers for op in layer.ops}
    work = None
    if costs is not None and data.graph is not None:
        work = work_of(runs, costs, data.graph)
    marked = TraceSteps(trace)
    inside = marked.holding(runs.device, runs.start_ps) if marked else None
    rows = op_times(runs, groups(runs, by, known), work, inside, sketched=sketched)
    steps = len(marked) or len(trace.steps)
    pipeline = int(runs.self_ps[runs.pipeline].sum())
    return OpTimesPartial(by, rows, steps, pipeline, *runs.ends_ps, _own_peak(trace))


def _own_peak(trace: Trace) -> Device | None:
    """What the first GPU of a capture states of itself."""
    planes = trace.space.devices if trace.space is not None else ()
    return next((peak for peak in map(peak_of, planes) if peak is not None), None)
