"""Waits for a queue, in a capture of TensorFlow 2's profiler.

An op that takes elements from a queue leaves its thread while it waits: two events tell when it
began and when it was over, and other runs may use the thread between them. What fills the queue
are runs of their own, which put elements in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.analyses.input_events.event_names import is_dequeue, is_enqueue, rows_where
from tfprof.analyses.input_events.loop_bodies import run_rows, work_of_runs
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.op_names import OpKind, op_name
from tfprof.model.xspace import Plane
from tfprof.model.xstats import StatColumn
from tfprof.results.input import Filler
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]

_START, _DONE = "ExecutorState::ProcessAsync::Start", "ExecutorState::ProcessAsync::Done"
_NAME, _OP, _RUN = "name", "kernel_type", "step_id"
# the same number stands on both ends of what is handed on
_HANDED, _TAKEN = "_p", "_c"
_NONE = np.zeros(0, np.int64)


@frozen_dataclass
class _Asynchronous:
    """Ops that leave their thread, one an entry: where they begin, and which run they are of."""

    rows: Ints
    names: list[str]
    ops: list[str]
    run: Ints

    def where(self, wanted: Callable[[str], bool]) -> _Asynchronous:
        kept = [place for place, op in enumerate(self.ops) if wanted(op)]
        return _Asynchronous(
            self.rows[kept],
            [self.names[place] for place in kept],
            [self.ops[place] for place in kept],
            self.run[kept],
        )


def with_queue_waits(plane: Plane) -> Plane:
    """With the beginning of each wait as the wait itself, by the name and the type of its op."""
    ops = _asynchronous(plane)
    waits = ops.where(is_dequeue)
    ends = _ends(plane, waits.rows)
    # what reads one queue to fill the next is no wait of the model
    fills = np.isin(waits.run, ops.where(is_enqueue).run)
    known = np.flatnonzero((ends >= 0) & ~fills).tolist()
    if not known:
        return plane
    names = [f"{waits.names[place]}:{waits.ops[place]}" for place in known]
    return _renamed(plane, waits.rows[known], names, ends[known])


def queue_wait_rows(plane: Plane) -> Ints:
    """Of such a plane."""

    def waits(name: str) -> bool:
        op = op_name(name)
        return op is not None and op.kind is OpKind.TENSORFLOW and is_dequeue(op.type)

    return rows_where(plane, waits)


def filling_rows(plane: Plane) -> Ints:
    """What was done to fill queues: all that those runs did that put elements into one."""
    runs = filling_runs(plane)
    return work_of_runs(plane, runs) if len(runs) else _NONE


def filling_runs(plane: Plane) -> Ints:
    """The numbers of those runs."""
    return distinct(_asynchronous(plane).where(is_enqueue).run)


def fillers(plane: Plane) -> dict[str, Filler]:
    """By node, how often queues were filled by it, and how long those runs worked for that."""
    fills = _asynchronous(plane).where(is_enqueue)
    found: dict[str, Filler] = {}
    for name, op in dict(zip(fills.names, fills.ops, strict=True)).items():
        mine = fills.run[[place for place, one in enumerate(fills.names) if one == name]]
        work = run_rows(plane, mine)
        found[name] = Filler(name, op, len(mine), int(plane.events.duration_ps[work].sum()))
    return found


def _asynchronous(plane: Plane) -> _Asynchronous:
    rows = plane.named(_START)
    if not len(rows) or not plane.has_stat(_OP):
        return _Asynchronous(_NONE, [], [], _NONE)
    columns = plane.stats_of_rows(rows, _OP, _NAME, _RUN)
    kinds, names = (_texts(one) for one in columns[:2])
    runs = dict(zip(columns[2].rows.tolist(), columns[2].ints().tolist(), strict=True))
    kept = [row for row in rows.tolist() if row in kinds and row in names]
    return _Asynchronous(
        np.array(kept, np.int64),
        [names[row] for row in kept],
        [kinds[row] for row in kept],
        np.array([runs.get(row, -1) for row in kept], np.int64),
    )


def _texts(column: StatColumn) -> dict[int, str]:
    texts = column.texts()
    return {row: texts[place] for place, row in enumerate(column.rows.tolist())}


def _ends(plane: Plane, rows: Ints) -> Ints:
    """When each of them was over; -1 where that is not in the capture."""
    done = plane.stat_of_rows(_TAKEN, plane.named(_DONE))
    begins = plane.events.start_ps[done.rows].tolist()
    over = dict(zip(done.ints().tolist(), begins, strict=True))
    handed = plane.stat_of_rows(_HANDED, rows)
    number = dict(zip(handed.rows.tolist(), handed.ints().tolist(), strict=True))
    return np.array([over.get(number.get(row, -1), -1) for row in rows.tolist()], np.int64)


def _renamed(plane: Plane, rows: Ints, names: list[str], ends: Ints) -> Plane:
    known = plane.event_names
    distinct = list(dict.fromkeys(names))
    first, more = len(known), len(distinct) + 1  # the last name stands for what has none
    nothing = np.zeros(more, np.int64)
    event_names = replace(
        known,
        id=np.append(known.id, nothing),
        name=[*known.name, *distinct, ""],
        display_name=[*known.display_name, *[""] * more],
        start=np.append(known.start, nothing),
        end=np.append(known.end, nothing),
    )
    events = plane.events
    name, duration = events.name.copy(), events.duration_ps.copy()
    place = {one: first + at for at, one in enumerate(distinct)}
    name[rows] = [place[one] for one in names]
    duration[rows] = np.maximum(ends - events.start_ps[rows], 0)
    return replace(
        plane, events=replace(events, name=name, duration_ps=duration), event_names=event_names
    )
