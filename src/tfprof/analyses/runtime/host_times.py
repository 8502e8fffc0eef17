"""What a host adds to the table of op times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tfprof.analyses.graph.layer_names import without_calls
from tfprof.analyses.graph.node_types import executed_types
from tfprof.analyses.runtime.device_peaks import peak_of
from tfprof.analyses.runtime.op_events import op_events
from tfprof.analyses.runtime.op_times import closed, groups, op_times, open_groups
from tfprof.analyses.runtime.op_work import work_of
from tfprof.analyses.steps.step_clock import StepClock, TraceSteps, step_clock
from tfprof.model.device import DevicePeak
from tfprof.model.hosts import Host
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.results.op_times import OpTimesPartial
from tfprof.results.partial import merged

if TYPE_CHECKING:  # without a graph there are none, and need not be imported
    from tfprof.analyses.cost.layers import LayerOps
    from tfprof.analyses.cost.op_costs import OpCosts


@dataclass(frozen=True, slots=True)
class OpTimesQuery:
    """What rows are; with FLOPs and bytes where the graph's `costs` are known, and its `layers`."""

    by: str
    costs: OpCosts | None = None
    layers: Sequence[LayerOps] = ()

    @property
    def layer_names(self) -> dict[str, str]:
        return {without_calls(op.site.name): one.name for one in self.layers for op in one.ops}


def op_times_of(data: ProfileData, query: OpTimesQuery) -> OpTimesPartial:
    """Of all hosts. Medians over several are estimated, of one exact."""
    hosts = data.hosts.on_one_clock
    clock = step_clock(host.trace for host in hosts)
    several = len(hosts) > 1
    parts = (partial_of(data, host, clock, query, several=several) for host in hosts)
    whole = merged(parts)
    return closed(whole, query.layer_names) if several else whole


def partial_of(
    data: ProfileData, host: Host, clock: StepClock, query: OpTimesQuery, *, several: bool
) -> OpTimesPartial:
    """Of `several`, each keeps what it takes to merge them and to name rows then."""
    trace, by = host.trace, query.by
    runs = op_events(trace, executed_types(data)).timed()
    work = None
    if query.costs is not None and data.graph is not None:
        work = work_of(runs, query.costs, data.graph)
    marked = TraceSteps(trace, clock)
    inside = marked.holding(runs.device, runs.start_ps) if marked else None
    group = open_groups(runs, by, host.rank) if several else groups(runs, by, query.layer_names)
    return OpTimesPartial(
        by,
        op_times(runs, group, work, inside, sketched=several),
        marked.numbers or trace.steps,
        int(runs.self_ps[runs.pipeline].sum()),
        *runs.ends_ps,
        _own_peak(trace),
        frozenset(runs.device.table),
        {host.rank: len(trace.threads)},
    )


def _own_peak(trace: Trace) -> DevicePeak | None:
    """What the first GPU of a capture states of itself."""
    planes = trace.space.devices if trace.space is not None else ()
    return next((peak for peak in map(peak_of, planes) if peak is not None), None)
