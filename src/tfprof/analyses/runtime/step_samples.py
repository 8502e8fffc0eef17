"""What ops took in each single step: what it takes to tell a change from noise."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tfprof.analyses.graph.node_types import executed_types
from tfprof.analyses.runtime.cuts import CUTS, cut
from tfprof.analyses.runtime.op_events import OpEvents, op_events
from tfprof.analyses.runtime.op_times import groups
from tfprof.analyses.steps.step_clock import NO_STEP, StepClock, TraceSteps, step_clock
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.hosts import Host
from tfprof.model.medians import medians_of
from tfprof.model.op_names import OpKind
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.model.units import PS_A_MICROSECOND

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@frozen_dataclass
class StepSamples:
    """By row, microseconds of own time in each of `steps`: on devices, where one was recorded."""

    steps: tuple[int, ...]
    rows: Mapping[str, Floats]


def step_samples(data: ProfileData, by: str) -> StepSamples | None:
    """Of all hosts together; None where nothing tells steps or ops."""
    hosts = data.hosts.on_one_clock
    clock = step_clock(host.trace for host in hosts)
    runs = [(host.trace, _events(data, host)) for host in hosts]
    on_device = any(events.on_device.any() for _, events in runs)
    numbers = sorted({number for trace, _ in runs for number in _numbers(trace, clock)})
    rows: dict[str, Floats] = {}
    for trace, events in runs:
        mine = events.where(events.on_device == on_device)
        if len(mine):
            _add(rows, trace, mine, by, numbers, _step_of(trace, mine, clock))
    return StepSamples(tuple(numbers), rows) if rows and numbers else None


@frozen_dataclass
class ModelOps:
    """By op type of the model: how often it runs in a usual step, and what share of time it has."""

    runs: Mapping[str, int]
    share: Mapping[str, float]


def model_ops(data: ProfileData) -> ModelOps:
    """Of the first host, without the input pipeline."""
    hosts = data.hosts.on_one_clock
    trace, events = hosts[0].trace, _events(data, hosts[0])
    step = _step_of(trace, events, step_clock(host.trace for host in hosts))
    mine = ~events.pipeline & (step != NO_STEP)
    events, (numbers, place) = events.where(mine), np.unique(step[mine], return_inverse=True)
    size = len(events.op.table)
    took = np.bincount(events.op.codes, events.self_ps, size)
    cells = np.bincount(place * size + events.op.codes, minlength=size * len(numbers))
    runs = medians_of(cells.reshape(-1, size), 0) if len(numbers) else np.zeros(size)
    names = events.op.table
    return ModelOps(
        {name: round(count) for name, count in zip(names, runs.tolist(), strict=True) if count},
        dict(zip(names, (took / (took.sum() or 1)).tolist(), strict=True)),
    )


def _events(data: ProfileData, host: Host) -> OpEvents:
    """Without the iterators of tf.data: what they take is mostly waiting."""
    events = op_events(host.trace, executed_types(data))
    return events.where(~events.op.map(OpKind.DATASET.value.__eq__))


def _numbers(trace: Trace, clock: StepClock) -> tuple[int, ...]:
    return TraceSteps(trace, clock).numbers or trace.steps


def _step_of(trace: Trace, events: OpEvents, clock: StepClock) -> Ints:
    """Records of a session name their step, those of a capture began in one."""
    if trace.space is None:
        return events.step
    return TraceSteps(trace, clock).number_of(events.device, events.start_ps)


def _add(
    rows: dict[str, Floats],
    trace: Trace,
    events: OpEvents,
    by: str,
    numbers: list[int],
    step: Ints,
) -> None:
    """What one host did, to what those before it did."""
    group = cut(trace, events, by) if by in CUTS else groups(events, by)
    known = np.array(numbers, np.int64)
    place = np.minimum(np.searchsorted(known, step), len(known) - 1)
    inside = (step != NO_STEP) & (known[place] == step)
    cells = group.codes[inside].astype(np.int64) * len(known) + place[inside]
    took = events.self_ps[inside] / PS_A_MICROSECOND
    # of nothing at all, numpy makes whole numbers
    sums = np.bincount(cells, took, len(group.table) * len(known)).astype(np.float64)
    for name, values in zip(group.table, sums.reshape(-1, len(known)), strict=True):
        if values.any():
            rows[name] = rows[name] + values if name in rows else values
