"""How busy a host was: when any thread ran an op, and how many threads of its pools worked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.events.unions import union_of
from tfprof.analyses.input_events.queue_waits import queue_wait_rows
from tfprof.analyses.step_time.classify import Classified
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.op_names import OpKind, op_name
from tfprof.model.xspace import HOST_THREADS, Plane
from tfprof.results.categories import Category
from tfprof.results.host_steps import PoolUse
from tfprof.results.step_windows import StepWindow

Ints = npt.NDArray[np.int64]

_STARTED, _STOPPED = "ThreadpoolListener::StartRegion", "ThreadpoolListener::StopRegion"
_POOLS = ("tf_Compute", "tf_numa_", "tf_data_private_threadpool", "tf_inter_op", "Eigen")


@frozen_dataclass
class HostUse:
    """Picoseconds, one value a step; `pipeline` are the ops that prepare input."""

    model: Ints
    pipeline: Ints
    either: Ints
    pools: Sequence[PoolUse]
    when_model: Intervals = field(repr=False)


def host_use(planes: Sequence[Classified], windows: Sequence[StepWindow]) -> HostUse:
    begin = np.array([window.begin for window in windows], np.int64)
    until = np.array([window.until for window in windows], np.int64)
    hosts = [one for one in planes if not one.is_device]
    model = Intervals.none().join(*(one.intervals(Category.HOST_MODEL) for one in hosts))
    pipeline = Intervals.none().join(*(_pipeline_ops(one) for one in hosts))
    threads = (one.plane for one in hosts if one.plane.name == HOST_THREADS)
    return HostUse(
        model.covered_between(begin, until),
        pipeline.covered_between(begin, until),
        model.join(pipeline).covered_between(begin, until),
        [pool for plane in threads for pool in _pools(plane, begin, until)],
        model,
    )


def _pipeline_ops(one: Classified) -> Intervals:
    """What its threads run for functions such as a map's; its iterators only wait for these."""
    rows = one.rows(Category.HOST_TF_DATA)
    is_op = np.array([_is_op(name) for name in one.plane.event_names.name], bool)
    rows = rows[is_op.take(one.plane.events.name.take(rows))]
    return union_of(one.plane, rows)


def _is_op(name: str) -> bool:
    found = op_name(name)
    return found is not None and found.kind is OpKind.TENSORFLOW


def _pools(plane: Plane, begin: Ints, until: Ints) -> list[PoolUse]:
    """Threads that are called the same and did anything in a step."""
    found: dict[str, list[int]] = {}
    waits = queue_wait_rows(plane)
    for line in range(len(plane.lines)):
        name = plane.line_name(line).partition("/")[0]
        if name.startswith(_POOLS) or name.endswith(_POOLS):
            busy = int(_at_work(plane, line, waits).covered_between(begin, until).sum())
            found.setdefault(name, []).append(busy)
    return [
        PoolUse(name, sum(one > 0 for one in busy), sum(busy))
        for name, busy in found.items()
        if any(busy)
    ]


def _at_work(plane: Plane, line: int, waits: Ints) -> Intervals:
    """Events that last, and what the pool noted as the begin and the end of a piece of work.

    An op that waits for a queue has left the thread to others.
    """
    span = plane.rows_of_line(line)
    names = plane.event_names
    start, end = plane.events.start_ps[span], plane.events.ends(span)
    left = waits[(waits >= span.start) & (waits < span.stop)] - span.start
    end[left] = start[left]
    mark = np.zeros(len(names), np.int8)
    mark[names.rows_named(_STARTED)] = 1
    mark[names.rows_named(_STOPPED)] = 2
    code = mark.take(plane.events.name[span])
    marked = np.flatnonzero(code)
    first = np.flatnonzero((code[marked][:-1] == 1) & (code[marked][1:] == 2))
    regions = Intervals.union(start[marked[first]], start[marked[first + 1]])
    return Intervals.union(start, end).join(regions)
