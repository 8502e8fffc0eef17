"""How long ops took in a run, as the original tool counts it, and how long the run lasted."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tfprof.model.devices import CANONICAL, short_names
from tfprof.model.trace import Executions, Trace

Ints = npt.NDArray[np.int64]

_ALL_STREAMS = "stream:all"
# what the runtime does between nodes: the original leaves it out
_NO_NODE = re.compile(r"(_SOURCE|RecvTensor)(:.*)?|[^:]*MEMCPY.*")


@dataclass(frozen=True, slots=True)
class NodeCost:
    """What one node cost in an average step."""

    name: str
    runs: int
    micros: float
    requested: float


@dataclass(frozen=True, slots=True)
class RunCost:
    """An average step: its wall-clock span, and the sum over its ops, which may overlap."""

    steps: int
    executions: int
    span_us: float
    op_us: float
    requested: float
    nodes: list[NodeCost]
    devices: dict[str, float]


def op_micros(executions: Executions) -> Ints:
    """Microseconds by execution; 0 for what the original does not time (copies, host threads)."""
    timed = np.array(
        [
            _ALL_STREAMS in device.lower() or bool(CANONICAL.fullmatch(device.lower()))
            for device in executions.device.table
        ],
        bool,
    )
    # an op faster than the clock still took time
    micros = np.maximum(executions.op_end_rel, 1)
    nodes = np.array([not _NO_NODE.fullmatch(name) for name in executions.node.table], bool)
    counts = timed[executions.device.codes] & (executions.start > 0) & nodes[executions.node.codes]
    return np.where(counts, micros, 0)


def run_cost(trace: Trace) -> RunCost:
    """The average step of a trace, with every node's share, costliest first."""
    rows = trace.executions
    steps = max(1, len(trace.steps))
    micros = op_micros(rows)
    return RunCost(
        steps=len(trace.steps),
        executions=len(rows),
        span_us=_mean_span(rows),
        op_us=int(micros.sum()) / steps,
        requested=int(rows.requested.sum()) / steps,
        nodes=_by_node(rows, micros, steps),
        devices=_by_device(rows, micros, steps),
    )


def _by_node(rows: Executions, micros: Ints, steps: int) -> list[NodeCost]:
    # names are cut at the colon, so several names of the table may be one node
    names = [name.partition(":")[0] for name in rows.node.table]
    index = {name: code for code, name in enumerate(dict.fromkeys(names))}
    node = np.array([index[name] for name in names] or [0], np.int64)[rows.node.codes]

    def summed(values: Ints) -> list[int]:
        totals = np.zeros(len(index), np.int64)
        np.add.at(totals, node, values)
        return [int(total) for total in totals]

    runs, time, requested = summed(np.ones_like(micros)), summed(micros), summed(rows.requested)
    costs = [
        NodeCost(name, runs[code], time[code] / steps, requested[code] / steps)
        for name, code in index.items()
    ]
    return sorted(costs, key=lambda cost: (-cost.micros, -cost.requested, cost.name))


def _by_device(rows: Executions, micros: Ints, steps: int) -> dict[str, float]:
    short = short_names(rows.device.table)
    totals = np.zeros(len(rows.device.table), np.int64)
    np.add.at(totals, rows.device.codes, micros)
    shares = {
        short[name]: int(total) / steps
        for name, total in zip(rows.device.table, totals, strict=True)
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
