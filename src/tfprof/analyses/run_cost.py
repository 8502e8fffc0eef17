"""What a run cost on average: by node, by device, and how long it lasted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tfprof.analyses.op_runs import OpRuns, op_runs
from tfprof.analyses.steps.in_steps import TraceSteps
from tfprof.model.devices import short_names
from tfprof.model.op_names import OpKind
from tfprof.model.trace import Executions, Trace
from tfprof.model.units import PS_A_MICROSECOND

Ints = npt.NDArray[np.int64]

_ALL_STREAMS = "/stream:all"


@dataclass(frozen=True, slots=True)
class NodeCost:
    """What one node cost in an average step; None is what the run does not tell."""

    name: str
    op: str | None
    runs: int
    micros: float
    requested: float | None


@dataclass(frozen=True, slots=True)
class RunCost:
    """An average step: its wall-clock span, and the own time of its ops, which may overlap.

    Where no steps are known, `steps` is 0, and all of it is of the whole run. Of a capture, the
    span is a period, from where a step begins to where the next one does, and ops that began in
    no step are left out; else it is from the first op to the last.
    """

    steps: int
    executions: int
    span_us: float
    is_period: bool
    op_us: float
    # of `op_us`, what ops of the input pipeline took
    pipeline_us: float
    requested: float | None
    nodes: list[NodeCost]
    devices: dict[str, float]


def run_cost(trace: Trace) -> RunCost:
    """The average step of a trace, with every node's share, costliest first.

    Iterators of tf.data are left out: what they take is mostly waiting.
    """
    rows = trace.executions
    runs = op_runs(trace)
    runs = runs.where(~runs.op.map(OpKind.DATASET.value.__eq__))
    marked = TraceSteps(trace)
    if marked:
        runs = runs.where(marked.holding(runs.device, runs.start_ps))
    known = len(marked) or len(trace.steps)
    steps = max(1, known)
    # a capture says nothing of what an execution asked its allocator for
    requested = rows.requested if trace.space is None else None
    return RunCost(
        steps=known,
        executions=len(runs),
        span_us=marked.mean_period_ps / PS_A_MICROSECOND if marked else _mean_span(rows),
        is_period=bool(marked),
        op_us=_micros(int(runs.self_ps.sum())) / steps,
        pipeline_us=_micros(int(runs.self_ps[runs.pipeline].sum())) / steps,
        requested=None if requested is None else int(requested.sum()) / steps,
        nodes=_by_node(runs, steps, requested),
        devices=_by_device(runs, steps),
    )


def _micros(picoseconds: int) -> float:
    return picoseconds / PS_A_MICROSECOND


def _by_node(runs: OpRuns, steps: int, requested: Ints | None) -> list[NodeCost]:
    node, count = runs.node.codes.astype(np.int64), len(runs.node.table)
    times = np.bincount(node, minlength=count).tolist()
    time = _summed(node, runs.self_ps, count)
    asked: list[float | None] = [None] * count
    if requested is not None:
        asked = [total / steps for total in _summed(node, requested, count)]
    types = dict(zip(node.tolist(), runs.op.codes.tolist(), strict=True))
    costs = [
        NodeCost(
            name,
            runs.op.table[types[code]] or None,
            times[code],
            _micros(time[code]) / steps,
            asked[code],
        )
        for code, name in enumerate(runs.node.table)
        if times[code]
    ]
    return sorted(costs, key=lambda cost: (-cost.micros, -(cost.requested or 0), cost.name))


def _summed(places: Ints, values: Ints, count: int) -> list[int]:
    totals = np.zeros(count, np.int64)
    np.add.at(totals, places, values)
    return [int(total) for total in totals]


def _by_device(runs: OpRuns, steps: int) -> dict[str, float]:
    short = short_names(runs.device.table)
    totals = _summed(runs.device.codes.astype(np.int64), runs.self_ps, len(runs.device.table))
    shares = {
        short[name].removesuffix(_ALL_STREAMS): _micros(total) / steps
        for name, total in zip(runs.device.table, totals, strict=True)
        if total
    }
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def _mean_span(rows: Executions) -> float:
    """From the first start to the last end of a step, averaged over steps."""
    spans = []
    for step in np.unique(rows.step).tolist():
        mine = (rows.step == step) & (rows.start > 0)
        if mine.any():
            start = rows.start[mine]
            spans.append(int((start + rows.end_rel[mine]).max()) - int(start.min()))
    return sum(spans) / len(spans) if spans else 0.0
