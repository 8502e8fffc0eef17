"""The events of a run as pieces for a trace viewer, a lane after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.counters import MemoryCounter
from tfprof.analyses.timeline.event_filters import Filters, Picked, picked
from tfprof.analyses.timeline.flows import flows
from tfprof.analyses.timeline.lanes import lanes
from tfprof.model.profile import ProfileData
from tfprof.model.units import PS_A_NANOSECOND
from tfprof.model.xspace import Plane, Space
from tfprof.reports.timeline.asked import Timeline, counters_of, nothing_left
from tfprof.reports.timeline.clock_shifts import clock_shifts, space_on_clock
from tfprof.reports.timeline.query import Query
from tfprof.reports.timeline.slices import arg_columns, args_of, named
from tfprof.views.tracks import (
    CounterPoints,
    FlowEnds,
    Piece,
    Process,
    SliceNames,
    Slices,
    Thread,
    TraceHead,
)
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]

_BLOCK = 1 << 17


def trace_of(data: ProfileData, query: Query) -> tuple[TraceHead, Iterator[Piece]]:
    """All of the run, or the step or part asked for."""
    asked = Timeline(data, query, clock_shifts(data))
    filters = asked.filters(asked.step())
    pieces = _hosts_pieces(asked, filters) if asked.many else _pieces(
        asked.space, filters, asked.counters, asked.zero, _Given(),
        several=len(asked.space.hosts) > 1, all_args=query.all_args,
    )  # fmt: skip
    first = next(pieces, None)
    if first is None:
        raise nothing_left()
    corrected = {"clock_shifts_us": asked.shifts.micros} if asked.shifts.later else {}
    head = TraceHead({
        "producer": "tfprof",
        "source": data.title,
        "origin_ns": asked.origin_ns + asked.zero // PS_A_NANOSECOND,
        **corrected,
    })  # fmt: skip
    return head, chain([first], pieces)


@dataclass(slots=True)
class _Given:
    """The last numbers that processes and flows were given."""

    process: int = 0
    flow: int = 0


def _hosts_pieces(asked: Timeline, filters: Filters) -> Iterator[Piece]:
    """A host after the other: their traces are never held together."""
    given, several = _Given(), len(asked.data.hosts) > 1
    for host in asked.data.hosts:
        space = space_on_clock(host, asked.shifts.of(host.rank))
        if space is not None:
            yield from _pieces(
                space, filters, counters_of(space), asked.zero, given,
                several=several, all_args=asked.query.all_args,
            )  # fmt: skip


def _pieces(
    space: Space,
    filters: Filters,
    counters: Mapping[int, Sequence[MemoryCounter]],
    zero_ps: int,
    given: _Given,
    *,
    several: bool,
    all_args: bool,
) -> Iterator[Piece]:
    """Processes with their slices and counters, then the flows between slices that are there."""
    # where each event went; 0 for those that are left out
    threads: list[npt.NDArray[np.int32]] = []
    process: list[int] = []
    for at, plane in enumerate(space.planes):
        threads.append(np.zeros(len(plane.events), np.int32))
        process.append(0)
        wanted = list(picked(plane, filters))
        shown = [_clipped(one, filters) for one in counters.get(at, ())]
        if not wanted and not any(len(one.time_ps) for one in shown):
            continue
        given.process += 1
        process[at] = given.process
        name = f"{plane.name} ({plane.host})" if several else plane.name
        yield Process(process[at], name, {"plane": plane.name, "host": plane.host})
        yield from _plane_pieces(plane, process[at], wanted, threads[at], zero_ps, all_args)
        yield from (
            CounterPoints(
                process[at], f"memory {one.name}", "bytes in use", one.time_ps - zero_ps, one.value
            )
            for one in shown
            if len(one.time_ps)
        )
    yield from _flow_pieces(space, threads, process, zero_ps, given)


def _clipped(counter: MemoryCounter, filters: Filters) -> MemoryCounter:
    keep = np.ones(len(counter.time_ps), bool)
    if filters.begin is not None:
        keep &= counter.time_ps >= filters.begin
    if filters.end is not None:
        keep &= counter.time_ps < filters.end
    return MemoryCounter(counter.name, counter.time_ps[keep], counter.value[keep])


def _plane_pieces(
    plane: Plane,
    pid: int,
    wanted: Sequence[Picked],
    threads: npt.NDArray[np.int32],
    zero_ps: int,
    all_args: bool,  # noqa: FBT001
) -> Iterator[Piece]:
    names = SliceNames([named(plane, name) for name in plane.event_names.name])
    args = arg_columns(plane, all_args=all_args)
    tid = 0
    for one in wanted:
        start = plane.events.start_ps[one.rows]
        end = start + plane.events.duration_ps[one.rows]
        lane = lanes(start, end, nested=not plane.is_placed)
        for number in range(int(lane.max()) + 1):
            tid += 1
            rows = one.rows[lane == number]
            threads[rows] = tid
            title = plane.line_name(one.line)
            shown = f"{title} ({number + 1})" if number else title
            yield Thread(pid, tid, shown, {"line": title} if number else {})
            for begin in range(0, len(rows), _BLOCK):
                some = rows[begin : begin + _BLOCK]
                yield Slices(
                    pid,
                    tid,
                    names,
                    plane.events.name[some],
                    plane.events.start_ps[some] - zero_ps,
                    plane.events.duration_ps[some],
                    args_of(args, some),
                )


def _flow_pieces(
    space: Space,
    threads: Sequence[npt.NDArray[np.int32]],
    process: Sequence[int],
    zero_ps: int,
    given: _Given,
) -> Iterator[Piece]:
    pids = np.array(process, np.int64)
    for one in flows(space):
        ends = []
        kept = np.ones(len(one), bool)
        for planes, rows in (
            (one.source_plane, one.source),
            (one.target_plane, one.target),
        ):
            tid, time = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
            for at in distinct(planes).tolist():
                mine = planes == at
                tid[mine] = threads[at][rows[mine]]
                time[mine] = space.planes[at].events.start_ps[rows[mine]] - zero_ps
            kept &= tid > 0
            ends.append((pids[planes], tid, time))
        if kept.any():
            source, target = ((p[kept], t[kept], time[kept]) for p, t, time in ends)
            yield FlowEnds(one.kind, given.flow + 1, source, target)
            given.flow += int(kept.sum())
