"""What a run cost on average: by node, by device, and how long it lasted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tfprof.analyses.runtime.cuts import phases
from tfprof.analyses.runtime.eager import is_eager
from tfprof.analyses.runtime.op_events import OpEvents, op_events
from tfprof.analyses.steps.host_clock import by_steps, task_by_steps
from tfprof.analyses.steps.step_clock import StepClock, TraceSteps, step_clock
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.hosts import Host, Hosts
from tfprof.model.interned import Interned
from tfprof.model.merging import merged
from tfprof.model.op_names import OpKind
from tfprof.model.remembered import remembered
from tfprof.model.trace import Executions, Trace
from tfprof.results.partial import FirstPlace, Met
from tfprof.results.step_average import NodeSums, RunSide, StepAverage, StepAveragePartial

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def step_average(*traces: Trace) -> StepAverage:
    """The average step of hosts that took it together, by clocks that count from one instant."""
    clock = step_clock(traces)
    return merged(run_partial(trace, clock, rank) for rank, trace in enumerate(traces)).finish()


@remembered(lambda hosts: (tuple(hosts), ()))
def average_of_hosts(hosts: Hosts) -> StepAverage:
    return by_steps(hosts, AVERAGE.key, _of_host).finish()


def _of_host(host: Host, clock: StepClock) -> StepAveragePartial:
    return run_partial(host.trace, clock, host.rank)


AVERAGE = task_by_steps("average step", _of_host)


def run_partial(trace: Trace, clock: StepClock, rank: int = 0) -> StepAveragePartial:
    """Of one host. Iterators of tf.data are left out: what they take is mostly waiting."""
    rows = trace.executions
    every = op_events(trace)
    # a capture says nothing of what an execution asked its allocator for
    requested = rows.requested if trace.space is None else None
    kept = ~every.op.map(OpKind.DATASET.value.__eq__)
    marked = TraceSteps(trace, clock)
    if marked:
        kept &= marked.holding(every.device, every.start_ps)
    eager = is_eager(trace, every) & kept
    on_device = every.on_device
    return StepAveragePartial(
        _side(_Runs.of(every, kept & ~on_device, requested), rank),
        _side(_Runs.of(every, kept & on_device, requested), rank),
        int(every.self_ps[every.pipeline & kept].sum()),
        marked.numbers or trace.steps,
        marked.known_periods,
        dict(_spans(rows)),
        None if requested is None else int(requested.sum()),
        int(every.self_ps[eager].sum()),
    )


@frozen_dataclass
class _Runs:
    """What is added up of executions; of millions, the other columns are not copied."""

    node: Interned
    op: Interned
    device: Interned
    self_ps: Ints
    pipeline: Mask
    copies: Mask | None
    begins: Mask
    requested: Ints | None

    @classmethod
    def of(cls, every: OpEvents, chosen: Mask, requested: Ints | None) -> _Runs:
        rows: Ints | slice = slice(None) if chosen.all() else np.flatnonzero(chosen)
        return cls(
            Interned(every.node.codes[rows], every.node.table),
            Interned(every.op.codes[rows], every.op.table),
            Interned(every.device.codes[rows], every.device.table),
            every.self_ps[rows],
            every.pipeline[rows],
            None if every.copies is None else every.copies[rows],
            every.begins[rows],
            None if requested is None else requested[rows],
        )


def _side(runs: _Runs, rank: int) -> RunSide:
    phase = phases(runs)
    codes, size = phase.codes.astype(np.int64), len(phase.table)
    took, copied = _summed(codes, runs.self_ps, size), [0] * size
    if runs.copies is not None and runs.copies.any():
        copied = _summed(codes[runs.copies], runs.self_ps[runs.copies], size)
    return RunSide(
        dict(_by_node(runs, rank)),
        dict(_by_device(runs, rank)),
        {name: took[code] for code, name in enumerate(phase.table) if took[code]},
        int(runs.begins.sum()),
        {name: copied[code] for code, name in enumerate(phase.table) if copied[code]},
    )


def _by_node(runs: _Runs, rank: int) -> Iterator[tuple[str, NodeSums]]:
    node, count = runs.node.codes.astype(np.int64), len(runs.node.table)
    seen = np.bincount(node, minlength=count).tolist()
    times = np.bincount(node[runs.begins], minlength=count).tolist()
    time = _summed(node, runs.self_ps, count)
    copies = [0] * count
    if runs.copies is not None:
        copies = _summed(node, np.where(runs.copies, runs.self_ps, 0), count)
    asked = [0] * count if runs.requested is None else _summed(node, runs.requested, count)
    types = np.zeros(count, np.int32)
    types[node] = runs.op.codes
    for code, name in enumerate(runs.node.table):
        if seen[code]:
            last = rank, runs.op.table[types[code]]
            yield name, NodeSums(last, times[code], time[code], asked[code], copies[code])


def _summed(places: Ints, values: Ints, count: int) -> list[int]:
    totals = np.zeros(count, np.int64)
    np.add.at(totals, places, values)
    return totals.tolist()


def _by_device(runs: _Runs, rank: int) -> Iterator[tuple[str, Met]]:
    """Also of those that did nothing: they decide how much of a name is needed."""
    table = runs.device.table
    totals = _summed(runs.device.codes.astype(np.int64), runs.self_ps, len(table))
    for at, name in enumerate(table):
        yield name, Met(FirstPlace(rank, at), totals[at])


def _spans(rows: Executions) -> Iterator[tuple[int, tuple[int, int]]]:
    """From the first start to the last end of each step."""
    for step in rows.step_numbers:
        mine = (rows.step == step) & (rows.start > 0)
        if mine.any():
            some = slice(None) if mine.all() else mine
            start = rows.start[some]
            yield step, (int(start.min()), int((start + rows.end_rel[some]).max()))
