"""The events of a run as pieces for a trace viewer, a lane after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.counters import MemoryCounter
from tfprof.analyses.timeline.event_filters import Filters, Picked, picked
from tfprof.analyses.timeline.flows import flows
from tfprof.analyses.timeline.lanes import lanes
from tfprof.model.op_names import OpKind, op_name
from tfprof.model.profile import ProfileData
from tfprof.model.units import PS_A_NANOSECOND
from tfprof.model.xspace import Plane, Space
from tfprof.model.xstats import StatColumn
from tfprof.reports.timeline.asked import Timeline, nothing_left
from tfprof.reports.timeline.query import Query
from tfprof.views.tracks import (
    ArgValue,
    CounterPoints,
    FlowEnds,
    Piece,
    Process,
    SliceName,
    SliceNames,
    Slices,
    Thread,
    TraceHead,
)
from tfprof.wire.xstats import DOUBLE, RAW, REFERENCE, STRING, UINT64

Ints = npt.NDArray[np.int64]

# what is said of an event even if nobody asks for all there is
_USUAL = (
    "step_num", "step", "tf_op", "hlo_op", "hlo_module", "shape", "shapes", "output_shapes",
    "kernel_details", "memcpy_details", "tf_function_call", "source",
)  # fmt: skip
_KINDS = {OpKind.DATASET: "tf.data", OpKind.COPY: "copy"}
# by beginning of the name, for what is no op
_CATEGORIES = (
    ("Memcpy", "copy"), ("MEMCPY", "copy"), ("MemoryAllocation", "memory"),
    ("MemoryDeallocation", "memory"), ("$", "python"), ("Iterator", "tf.data"),
    ("ThreadpoolListener", "threadpool"),
)  # fmt: skip
_BLOCK = 1 << 17


def trace_of(data: ProfileData, query: Query) -> tuple[TraceHead, Iterator[Piece]]:
    """All of the run, or the step or part asked for."""
    asked = Timeline(data, query)
    filters = asked.filters(asked.step())
    if not any(True for plane in asked.space.planes for _ in picked(plane, filters)):
        raise nothing_left()
    head = TraceHead({
        "producer": "tfprof",
        "source": data.title,
        "origin_ns": asked.space.origin_ns + asked.zero // PS_A_NANOSECOND,
    })  # fmt: skip
    return head, _pieces(asked.space, filters, asked.counters, asked.zero, all_args=query.all_args)


def _pieces(
    space: Space,
    filters: Filters,
    counters: Mapping[int, Sequence[MemoryCounter]],
    zero_ps: int,
    *,
    all_args: bool,
) -> Iterator[Piece]:
    """Processes with their slices and counters, then the flows between slices that are there."""
    several = len(space.hosts) > 1
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
        process[at] = max(process) + 1
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
    yield from _flow_pieces(space, threads, process, zero_ps)


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
    names = SliceNames([_named(plane, name) for name in plane.event_names.name])
    args = _arg_columns(plane, all_args=all_args)
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
                    _args(args, some),
                )


def _named(plane: Plane, name: str) -> SliceName:
    op = op_name(name)
    if op is not None and op.kind in (OpKind.TENSORFLOW, OpKind.JAX):
        return SliceName(name, "op", {"node": op.name, "op": op.type})
    if op is not None:
        return SliceName(name, _KINDS.get(op.kind, "op"))
    usual = "kernel" if plane.is_device else "runtime"
    found = (kind for start, kind in _CATEGORIES if name.startswith(start))
    return SliceName(name or "(no name)", next(found, usual))


def _arg_columns(plane: Plane, *, all_args: bool) -> list[tuple[str, StatColumn]]:
    known = dict.fromkeys(plane.stat_names.name[:-1])
    wanted = known if all_args else [name for name in _USUAL if name in known]
    columns = ((name, plane.stat(name)) for name in wanted)
    return [(name, column) for name, column in columns if len(column)]


def _args(
    columns: Sequence[tuple[str, StatColumn]], rows: Ints
) -> dict[int, list[tuple[str, ArgValue]]]:
    """By position in `rows`; rows rise, and so do those of a column."""
    found: dict[int, list[tuple[str, ArgValue]]] = {}
    for key, column in columns:
        owners = column.table.owner
        first, last = np.searchsorted(owners, [rows[0], rows[-1] + 1]).tolist()
        if first == last:
            continue
        place = np.searchsorted(rows, owners[first:last])
        some = np.flatnonzero(rows[place] == owners[first:last])
        part = StatColumn(column.table.rows(some + first), column.count, column.data, column.names)
        for at, value in zip(place[some].tolist(), _values(part), strict=True):
            found.setdefault(at, []).append((key, value))
    return found


def _values(column: StatColumn) -> list[ArgValue]:
    """Each value as what it is; of bytes, which are no text, how many there are."""
    values: list[ArgValue] = list(column.ints().tolist())
    kind = column.table.kind
    for at in np.flatnonzero(kind == UINT64).tolist():
        values[at] = int(column.table.value[at])
    for at in np.flatnonzero(kind == RAW).tolist():
        values[at] = f"{int(column.table.size[at])} bytes"
    doubles = np.flatnonzero(kind == DOUBLE).tolist()
    for at, number in zip(doubles, column.floats()[doubles].tolist(), strict=True):
        values[at] = number if math.isfinite(number) else str(number)
    named = np.flatnonzero(np.isin(kind, (STRING, REFERENCE))).tolist()
    texts = column.texts() if named else None
    for at in named:
        values[at] = texts[at] if texts is not None else ""
    return values


def _flow_pieces(
    space: Space, threads: Sequence[npt.NDArray[np.int32]], process: Sequence[int], zero_ps: int
) -> Iterator[Piece]:
    pids = np.array(process, np.int64)
    first = 1
    for one in flows(space):
        ends = []
        kept = np.ones(len(one), bool)
        for planes, rows in (
            (one.source_plane, one.source),
            (one.target_plane, one.target),
        ):
            tid, time = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
            for at in np.unique(planes).tolist():
                mine = planes == at
                tid[mine] = threads[at][rows[mine]]
                time[mine] = space.planes[at].events.start_ps[rows[mine]] - zero_ps
            kept &= tid > 0
            ends.append((pids[planes], tid, time))
        if kept.any():
            source, target = ((p[kept], t[kept], time[kept]) for p, t, time in ends)
            yield FlowEnds(one.kind, first, source, target)
            first += int(kept.sum())
