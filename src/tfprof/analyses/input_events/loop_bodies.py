"""A loop over a dataset within a function: tf.data calls its body, and that is the model.

TensorFlow makes a stage of the loop, whose function is the body. So the threads of tf.data run the
ops of the model, beside those of the pipeline that the loop reads from.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.self_time import holders
from tfprof.analyses.input_events.event_names import (
    is_captured_function,
    is_iterator,
    is_loop_frame,
    is_produce,
    is_round,
    rows_where,
    together,
)
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.xspace import Plane
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]

_RUN, _NUMBER = "ExecutorState::Process", "id"
_NONE = np.zeros(0, np.int64)


@frozen_dataclass
class LoopBodies:
    """Rows of a plane: the calls of bodies, what is around them, and all that the model did."""

    calls: Ints
    around: Ints
    work: Ints


def loop_bodies(plane: Plane) -> LoopBodies:
    rounds = rows_where(plane, is_round)
    if not len(rounds):
        return LoopBodies(_NONE, _NONE, _NONE)
    loops = together(plane, rounds, rows_where(plane, is_loop_frame))
    calls = _called_by(plane, rounds)
    numbers = plane.stat_of_rows(_NUMBER, calls).ints()
    return LoopBodies(calls, _around(plane, loops), work_of_runs(plane, numbers))


def work_of_runs(plane: Plane, numbers: Ints) -> Ints:
    """All that some runs of functions or sessions did, by their numbers."""
    return _within(plane, run_rows(plane, numbers))


def run_rows(plane: Plane, numbers: Ints) -> Ints:
    """When threads were at work for some runs."""
    runs = plane.stat_of_rows(_NUMBER, plane.named(_RUN))
    return runs.rows[np.isin(runs.ints(), numbers)]


def _called_by(plane: Plane, rounds: Ints) -> Ints:
    """The functions that rounds call themselves: those of the stages below are of the pipeline."""
    functions = rows_where(plane, is_captured_function)
    both = together(plane, rounds, functions, rows_where(plane, is_iterator))
    holder = _holders(plane, both)
    around = holder[np.searchsorted(both, functions)]
    return functions[(around >= 0) & np.isin(both[np.maximum(around, 0)], rounds)]


def _around(plane: Plane, loops: Ints) -> Ints:
    """The loops and their rounds; and the threads of stages that read ahead, around rounds."""
    frames = together(plane, loops, rows_where(plane, is_produce))
    holder = _holders(plane, frames)
    found = np.isin(frames, loops)
    above = holder[found]
    while (above := above[above >= 0]).size:
        found[above] = True
        above = holder[above]
    return frames[found]


def _within(plane: Plane, runs: Ints) -> Ints:
    """Some events, and all that began within them on their threads."""
    found = [_NONE]
    line = plane.line_of(runs)
    for one in distinct(line).tolist():
        mine = runs[line == one]
        begins, ends = plane.events.start_ps[mine], plane.events.ends(mine)
        order = np.argsort(begins, kind="stable")
        # how far any of them has reached; before all there is one that was over
        reach = np.append(np.maximum.accumulate(ends[order]), np.iinfo(np.int64).min)
        rows = np.arange(*plane.rows_of_line(one).indices(len(plane.events)))
        start = plane.events.start_ps[rows]
        inside = start < reach[np.searchsorted(begins[order], start, side="right") - 1]
        found.append(rows[inside])
    return together(plane, runs, *found)


def _holders(plane: Plane, rows: Ints) -> Ints:
    events = plane.events
    return holders(plane.line_of(rows), events.start_ps[rows], events.ends(rows))
