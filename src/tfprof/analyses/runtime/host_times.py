"""What a host adds to the table of op times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tfprof.analyses.device_events.columns import DeviceEvents
from tfprof.analyses.graph.layer_names import without_calls
from tfprof.analyses.graph.node_types import executed_types
from tfprof.analyses.runtime.capture_work import capture_work, merged_work
from tfprof.analyses.runtime.cuts import CUTS, cut
from tfprof.analyses.runtime.device_peaks import peak_of
from tfprof.analyses.runtime.op_events import OpEvents, op_events
from tfprof.analyses.runtime.op_times import OF_EVENTS, closed, groups, op_times, open_groups
from tfprof.analyses.runtime.op_work import EventWork, work_of
from tfprof.analyses.steps.host_clock import by_steps, task_by_steps
from tfprof.analyses.steps.step_clock import StepClock, TraceSteps
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import DevicePeak, without_part
from tfprof.model.graph import Graph
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host
from tfprof.model.interned import Interned
from tfprof.model.profile import ProfileData
from tfprof.model.remembered import parts_of, remembered
from tfprof.model.trace import Trace
from tfprof.results.op_times import OpTimesPartial

if TYPE_CHECKING:  # without a graph there are none, and need not be imported
    from tfprof.analyses.cost.layers import LayerOps
    from tfprof.analyses.cost.op_costs import OpCosts


@frozen_dataclass
class OpTimesQuery:
    """What rows are; with FLOPs and bytes where the graph's `costs` are known, and its `layers`."""

    by: str
    costs: OpCosts | None = None
    layers: Sequence[LayerOps] = ()

    @property
    def layer_names(self) -> dict[str, str]:
        return _layer_names(self.layers)


@remembered(lambda layers: ((layers,), ()))
def _layer_names(layers: Sequence[LayerOps]) -> dict[str, str]:
    return {without_calls(op.site.name): one.name for one in layers for op in one.ops}


@remembered(lambda data, query: ((*parts_of(data), query.costs, query.layers), (query.by,)))
def op_times_of(data: ProfileData, query: OpTimesQuery) -> OpTimesPartial:
    """Of all hosts. Medians over several are estimated, of one exact."""
    hosts, asked = data.hosts.on_one_clock, _asked(data, query)
    whole = by_steps(hosts, asked.key, _of_host, asked, about=asked.about)
    return closed(whole, query.layer_names) if asked.several else whole


def _asked(data: ProfileData, query: OpTimesQuery) -> OpTimesAsked:
    return OpTimesAsked(query, executed_types(data), data.graph, several=len(data.hosts) > 1)


@frozen_dataclass
class OpTimesAsked:
    """All that a host needs to be told; `types` are those of ops, by node.

    Of `several`, each keeps what it takes to merge them and to name rows then.
    """

    query: OpTimesQuery
    types: Mapping[str, str]
    graph: Graph | None
    several: bool

    @property
    def key(self) -> str:
        of = "" if self.graph is None else " of a graph"
        return f"ops by {self.query.by}{of}{' on one of several hosts' if self.several else ''}"

    @property
    def about(self) -> tuple[object, ...]:
        return () if self.graph is None else (self.graph, self.query.costs)


def ops_task(by: str) -> HostTask:
    """The times of ops of a run alone, by whatever is asked."""
    return _task(OpTimesAsked(OpTimesQuery(by), {}, None, several=True))


def ops_task_of(data: ProfileData, by: str) -> HostTask:
    """The same of a profile that is read: with the types that its graph tells."""
    return _task(_asked(data, OpTimesQuery(by)))


def _task(asked: OpTimesAsked) -> HostTask:
    return task_by_steps(asked.key, _of_host, asked, about=asked.about)


def partial_of(
    data: ProfileData, host: Host, clock: StepClock, query: OpTimesQuery, *, several: bool
) -> OpTimesPartial:
    types = executed_types(data)
    return _of_host(host, clock, OpTimesAsked(query, types, data.graph, several=several))


def _of_host(host: Host, clock: StepClock, asked: OpTimesAsked) -> OpTimesPartial:
    query, several = asked.query, asked.several
    trace, by = host.trace, query.by
    runs, work = _worked(trace, asked.types, query.costs, asked.graph, of_events=by in OF_EVENTS)
    if by in OF_EVENTS:
        runs = replace(runs, first=None)
    marked = TraceSteps(trace, clock)
    inside = marked.holding(runs.device, runs.start_ps) if marked else None
    group = _groups(trace, runs, host, query, several=several)
    return OpTimesPartial(
        by,
        op_times(runs, group, work, inside, sketched=several),
        marked.numbers or trace.steps,
        int(runs.self_ps[runs.pipeline].sum()),
        *runs.ends_ps,
        _own_peak(trace),
        frozenset(runs.device.table),
        {host.rank: len(trace.threads)},
        frozenset(map(without_part, runs.device.distinct(np.flatnonzero(runs.on_device)))),
    )


@remembered(
    lambda trace, types, costs, graph, of_events: ((trace, types, costs, graph), (of_events,)),
)
def _worked(
    trace: Trace,
    types: Mapping[str, str],
    costs: OpCosts | None,
    graph: Graph | None,
    *,
    of_events: bool,
) -> tuple[OpEvents, EventWork | None]:
    """What ran, and what each of it computed, however it is grouped then."""
    runs = op_events(trace, types)
    runs = (runs if of_events else runs.in_executions()).timed()
    work = None
    if costs is not None and graph is not None:
        work = work_of(runs, costs, graph)
    return runs, merged_work(capture_work(trace, runs), work)


def _groups(
    trace: Trace, runs: OpEvents, host: Host, query: OpTimesQuery, *, several: bool
) -> Interned:
    if query.by in CUTS:
        return cut(trace, runs, query.by)
    if several:
        return open_groups(runs, query.by, host.rank)
    return groups(runs, query.by, query.layer_names)


def _own_peak(trace: Trace) -> DevicePeak | None:
    """The best of the first device that did something, in the precision it mostly works in."""
    if trace.space is None:
        return None
    known = [one for one in trace.space.devices if peak_of(one, half=False) is not None]
    for plane in known:
        events = DeviceEvents(plane, trace.space.compiled)
        if len(plane.events) and len(events):
            half = int(events.self_ps[events.is_half].sum()) * 2 > int(events.self_ps.sum())
            return peak_of(plane, half=half)
    return peak_of(known[0], half=False) if known else None
