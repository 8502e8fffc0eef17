"""What the functions of a pipeline do: the ops that `map` and its like run on other threads.

A stage calls a function, and the runtime runs its ops under the number of that call, anywhere.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.self_time import holders, own_times
from tfprof.analyses.input_events.event_names import (
    is_captured_function,
    is_produce,
    rows_where,
    together,
)
from tfprof.analyses.input_pipeline.pipelines import Pipeline
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.joint_codes import joint_codes
from tfprof.model.op_names import OpKind, op_name
from tfprof.model.xspace import Plane
from tfprof.results.input import FunctionRow

Ints = npt.NDArray[np.int64]

_RUN = "ExecutorState::Process"
_NUMBER = "id"


def function_ops(pipeline: Pipeline, share: float = 1.0) -> list[FunctionRow]:
    """The costliest first; of what begins in the first share of the run."""
    first = _Part.of(pipeline, share)
    numbers, stage = _called(pipeline, first)
    if not len(numbers):
        return []
    plane = pipeline.plane
    runs = plane.stat_of_rows(_NUMBER, first.of_these(plane.named(_RUN)))
    place = np.minimum(np.searchsorted(numbers, runs.ints()), len(numbers) - 1)
    mine = numbers[place] == runs.ints()
    ops, of_stage, own = _ops_within(first, runs.rows[mine], stage[place[mine]])
    names = len(plane.event_names)
    code, at_first = joint_codes([of_stage, plane.events.name[ops]])
    count = np.bincount(code, minlength=len(at_first))
    time = np.zeros(len(at_first), np.int64)
    np.add.at(time, code, own)
    keys = of_stage[at_first] * names + plane.events.name[ops[at_first]]
    found = []
    for key, number, spent in zip(keys.tolist(), count.tolist(), time.tolist(), strict=True):
        op = op_name(plane.event_names.name[key % names])
        if op is not None:
            at = key // names
            path = pipeline.stages[at].path
            found.append(FunctionRow(path, op.name, op.type, number, spent, at))
    return sorted(found, key=lambda one: (-one.self_time, one.name))


@frozen_dataclass
class _Part:
    """The begin of a run, or all of it."""

    plane: Plane
    until: float

    @classmethod
    def of(cls, pipeline: Pipeline, share: float) -> _Part:
        calls = pipeline.calls
        if share >= 1 or not len(calls.start):
            return cls(pipeline.plane, inf)
        begin, end = int(calls.start.min()), int(calls.end.max())
        return cls(pipeline.plane, begin + share * (end - begin))

    def of_these(self, rows: Ints) -> Ints:
        return rows if self.until == inf else rows[self.plane.events.start_ps[rows] < self.until]


def _called(pipeline: Pipeline, first: _Part) -> tuple[Ints, Ints]:
    """The numbers of all calls of functions by this pipeline, rising, and the stage of each."""
    plane, calls = pipeline.plane, pipeline.calls
    called = first.of_these(rows_where(plane, is_captured_function))
    functions = plane.stat_of_rows(_NUMBER, called)
    stage_of_row = np.full(len(plane.events), -1, np.int32)
    for at, stage in enumerate(pipeline.stages):
        stage_of_row[calls.row[stage.calls]] = at
    both = together(plane, functions.rows, calls.row, rows_where(plane, is_produce))
    line = plane.line_of(both)
    holder = holders(line, plane.events.start_ps[both], plane.events.ends(both))
    _own_producers(pipeline, stage_of_row, both, holder)
    around = holder[np.searchsorted(both, functions.rows)]
    stage_ = np.where(around >= 0, stage_of_row[both[np.maximum(around, 0)]], -1).astype(np.int64)
    numbers, at_first = np.unique(functions.ints()[stage_ >= 0], return_index=True)
    return numbers, stage_[stage_ >= 0][at_first]


def _own_producers(
    pipeline: Pipeline, stage_of_row: npt.NDArray[np.int32], both: Ints, holder: Ints
) -> None:
    """What makes elements for a stage is known by the stage below, which it calls."""
    parents = np.array([-1 if s.parent is None else s.parent for s in pipeline.stages], np.int32)
    for at, stage in enumerate(pipeline.stages):
        if not stage.detached:
            continue
        around = holder[np.searchsorted(both, pipeline.calls.row[stage.calls])]
        stage_of_row[both[around[around >= 0]]] = parents[at]


def _ops_within(first: _Part, runs: Ints, stage: Ints) -> tuple[Ints, Ints, Ints]:
    """The ops that ran within some events, the stages of these, and self times."""
    plane = first.plane
    ops = first.of_these(rows_where(plane, _is_op))
    # line by line: what is within what is told by the events of one thread
    found = [(np.zeros(0, np.int64),) * 3]
    bounds = (np.searchsorted(rows, plane.lines.first) for rows in (runs, ops))
    for (begin, end), (low, high) in zip(*(pairwise(one.tolist()) for one in bounds), strict=True):
        if begin < end and low < high:
            found.append(_on_line(plane, runs[begin:end], stage[begin:end], ops[low:high]))
    rows, of_stage, own = (np.concatenate(column) for column in zip(*found, strict=True))
    return rows, of_stage, own


def _on_line(plane: Plane, runs: Ints, stage: Ints, ops: Ints) -> tuple[Ints, Ints, Ints]:
    both = np.sort(np.concatenate([runs, ops]), kind="stable")
    of_run = np.full(len(both), -1, np.int64)
    of_run[np.searchsorted(both, runs)] = stage
    is_op = of_run < 0
    start, duration = plane.events.start_ps[both], plane.events.duration_ps[both]
    holder = holders(np.broadcast_to(np.int64(0), both.shape), start, start + duration)
    # up to what is no op: a run, or nothing
    top = holder.copy()
    while (inner := np.flatnonzero((top >= 0) & is_op[top])).size:
        top[inner] = holder[top[inner]]
    mine = np.flatnonzero(is_op & (top >= 0))
    return both[mine], of_run[top[mine]], own_times(holder, duration)[mine]


def _is_op(event: str) -> bool:
    op = op_name(event)
    return op is not None and op.kind is OpKind.TENSORFLOW
