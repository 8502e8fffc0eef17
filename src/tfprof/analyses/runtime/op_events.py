"""Every execution of an op with its own time, from whatever recorded it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.analyses.device_events.activities import ACTIVITIES, activity_codes, code_of
from tfprof.analyses.device_events.own_times import own_times_of
from tfprof.analyses.events.self_time import self_times
from tfprof.analyses.input_events.loop_bodies import loop_bodies
from tfprof.analyses.runtime.original_op_time import op_micros
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import COPIES, is_part
from tfprof.model.device_labels import LABELS, is_copy, label_of
from tfprof.model.interned import Interned
from tfprof.model.op_names import OpKind, op_name
from tfprof.model.trace import Executions, Trace
from tfprof.model.units import PS_A_MICROSECOND, PS_A_NANOSECOND
from tfprof.model.xspace import HOST_THREADS, Plane, Space

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_INPUT_THREAD = "tf_data_"
_LAUNCH = "correlation_id"
# how many events are looked at together
_TOGETHER = 1 << 17


@frozen_dataclass
class OpEvents:
    """One row an execution; times in picoseconds.

    `pipeline` marks what the input pipeline did: tf.data's iterators, which take their waiting for
    time, and the ops that functions of the pipeline ran.

    Of the masks at the end None is none, of `first` all: what ran on a device, what of that are
    copies, which go on beside the kernels, and where an execution begins that is several events.
    """

    node: Interned
    op: Interned
    device: Interned
    thread: Ints
    threads: Mapping[int, str]
    step: Ints
    start_ps: Ints
    total_ps: Ints
    self_ps: Ints
    pipeline: Mask
    # whether lines of the recording tell what ran inside what
    nested: bool
    # what `start_ps` counts from, since 1970: more than 64 bits
    origin_ps: int = 0
    device_side: Mask | None = None
    copies: Mask | None = None
    first: Mask | None = None
    # the events of all planes counted through; None of what is no capture
    event: Ints | None = None

    def __len__(self) -> int:
        return len(self.total_ps)

    def where(self, rows: Mask) -> OpEvents:
        if rows.all():
            return self
        # of many columns: numpy goes through a mask again for each
        kept = np.flatnonzero(rows)
        return replace(
            self,
            node=Interned(self.node.codes[kept], self.node.table),
            op=Interned(self.op.codes[kept], self.op.table),
            device=Interned(self.device.codes[kept], self.device.table),
            thread=self.thread[kept],
            step=self.step[kept],
            start_ps=self.start_ps[kept],
            total_ps=self.total_ps[kept],
            self_ps=self.self_ps[kept],
            pipeline=self.pipeline[kept],
            device_side=None if self.device_side is None else self.device_side[kept],
            copies=None if self.copies is None else self.copies[kept],
            first=None if self.first is None else self.first[kept],
            event=None if self.event is None else self.event[kept],
        )

    @property
    def on_device(self) -> Mask:
        return np.zeros(len(self), bool) if self.device_side is None else self.device_side

    @property
    def copy(self) -> Mask:
        return np.zeros(len(self), bool) if self.copies is None else self.copies

    @property
    def begins(self) -> Mask:
        return np.ones(len(self), bool) if self.first is None else self.first

    def in_executions(self) -> OpEvents:
        """With the kernels of one execution as one: a stream runs them one after the other."""
        if not (self.on_device & ~self.begins).any():
            return self
        parts = np.flatnonzero(self.on_device)
        begins = np.flatnonzero(self.begins[parts])
        if not len(begins) or begins[0]:
            return self
        total, own = self.total_ps.copy(), self.self_ps.copy()
        for column in (total, own):
            column[parts[begins]] = np.add.reduceat(column[parts], begins)
        kept = ~self.on_device | self.begins
        return replace(self, total_ps=total, self_ps=own).where(kept)

    def timed(self) -> OpEvents:
        """Without what nobody timed, such as copies and the runtime's own records."""
        return self.where(self.total_ps > 0) if (self.total_ps == 0).any() else self

    @property
    def ends_ps(self) -> tuple[int, int]:
        """The first start and the last end by the clock on the wall, since 1970; 0 of nothing."""
        if not len(self):
            return 0, 0
        last = int((self.start_ps + self.total_ps).max())
        return int(self.start_ps.min()) + self.origin_ps, last + self.origin_ps


def op_events(trace: Trace, types: Mapping[str, str] | None = None) -> OpEvents:
    """Of a capture of TensorFlow 2 or of run metadata, whose op `types` a graph may know."""
    if trace.space is not None and trace.executions.event is not None:
        return _of_capture(trace, trace.space)
    return _of_records(trace, types or {})


def self_micros(trace: Trace) -> Ints | None:
    """Of each execution of a capture, in whole microseconds; None without one.

    Many ops take less than one: what is lost or won by rounding goes into the node's next run, so
    that the sum over the runs of a node in a step is right.
    """
    rows = trace.executions
    if trace.space is None or rows.event is None:
        return None
    # executions stand first, what only the pipeline did behind them
    own = _of_capture(trace, trace.space).self_ps[: len(rows)]
    order = np.lexsort((rows.step, rows.node.codes))
    keys = np.stack([rows.node.codes[order], rows.step[order]])
    first = np.append(True, (np.diff(keys, axis=1) != 0).any(axis=0))[: len(rows)]
    so_far = np.cumsum(own[order])
    before = (so_far - own[order])[first]
    so_far -= np.repeat(before, np.diff(np.append(np.flatnonzero(first), len(rows))))
    whole = (so_far + PS_A_MICROSECOND // 2) // PS_A_MICROSECOND
    micros = np.empty_like(own)
    micros[order] = np.where(first, whole, np.diff(whole, prepend=0))
    return micros


@frozen_dataclass
class _Events:
    """Events that are ops: of which thread, and how long; `event` counts through all planes."""

    event: Ints
    thread: Ints
    duration_ps: Ints
    name: Interned
    device: Interned

    @classmethod
    def joined(cls, parts: list[_Events]) -> _Events:
        return cls(
            np.concatenate([part.event for part in parts]),
            np.concatenate([part.thread for part in parts]),
            np.concatenate([part.duration_ps for part in parts]),
            Interned.joined([part.name for part in parts]),
            Interned.joined([part.device for part in parts]),
        )


def _of_capture(trace: Trace, space: Space) -> OpEvents:
    rows = trace.executions
    others = _others(space)
    event = _with(_known(rows.event), others.event)
    start = _starts(space, event)
    total = _with(_known(rows.duration_ps), others.duration_ps)
    thread = _with(rows.thread, others.thread)
    device = Interned.joined([rows.device, others.device])
    on_device = device.map(is_part)
    order = np.argsort(event, kind="stable")
    with_devices = bool(on_device.any())
    own = _own_times(order[~on_device[order]] if with_devices else order, thread, start, total)
    del order
    copies = np.zeros(len(event), bool) if with_devices else None
    for plane, here, mine in on_planes(space, event, on_device):
        own[here] = own_times_of(plane, mine)
        if copies is not None:
            copies[here] = _are_copies(plane, mine)
    pipeline = _on_pipeline_threads(trace.threads, thread)
    if pipeline.any():
        pipeline &= ~np.isin(event, _in_loops(space))
    types = Interned.joined([rows.op or Interned.of([""] * len(rows)), _part(others.name, "type")])
    first = np.ones(len(rows), bool) if rows.begins is None else rows.begins
    return OpEvents(
        Interned.joined([rows.node, _part(others.name, "name")]),
        types,
        device,
        thread,
        trace.threads,
        _with(rows.step, np.broadcast_to(np.int64(-1), (len(others.event),))),
        start,
        total,
        own,
        types.map(OpKind.DATASET.value.__eq__) | pipeline,
        nested=True,
        origin_ps=space.origin_ns * PS_A_NANOSECOND,
        device_side=on_device if with_devices else None,
        copies=copies,
        first=None if first.all() else np.append(first, np.ones(len(others.event), bool)),
        event=event,
    )


def on_planes(space: Space, event: Ints, chosen: Mask) -> Iterator[tuple[Plane, Ints, Ints]]:
    """Of chosen rows those that are events of each plane, and which events of it they are."""
    for plane, first, _ in _planes(space):
        inside = event >= first
        inside &= event < first + len(plane.events)
        inside &= chosen
        here = np.flatnonzero(inside)
        if len(here):
            yield plane, here, event[here] - first


def _are_copies(plane: Plane, rows: Ints) -> Mask:
    if plane.name.endswith(COPIES):
        return np.ones(len(rows), bool)
    codes = [code_of(one) for one in ACTIVITIES if one.is_copy]
    return np.isin(activity_codes(plane)[rows], codes)


def _own_times(order: Ints, thread: Ints, start: Ints, total: Ints) -> Ints:
    """Of events, some threads at a time: what is in between should stay in the cache."""
    own = np.empty_like(total)
    line = thread[order]
    bounds = np.append(np.flatnonzero(line[1:] != line[:-1]) + 1, len(order))
    begin = 0
    while begin < len(order):
        # all of one thread, and of others as long as they are short
        last = np.searchsorted(bounds, begin + _TOGETHER, side="right") - 1
        stop = int(bounds[max(last, np.searchsorted(bounds, begin, side="right"))])
        rows = order[begin:stop]
        own[rows] = self_times(line[begin:stop], start[rows], total[rows])
        begin = stop
    return own


def _with(column: Ints, more: Ints) -> Ints:
    """A capture may have millions of kernels and nothing else: then nothing is copied.

    Nor is a number that all rows have.
    """
    alike = len(column) and len(more) and column.strides == more.strides == (0,)
    if alike and column[0] == more[0]:
        return np.broadcast_to(column[0], (len(column) + len(more),))
    return np.concatenate([column, more]) if len(more) else column


def _known(column: Ints | None) -> Ints:
    return np.zeros(0, np.int64) if column is None else column


def _planes(space: Space) -> Iterator[tuple[Plane, int, int]]:
    """Each plane with the numbers of its first event and of its first line."""
    events = lines = 0
    for plane in space.planes:
        yield plane, events, lines
        events += len(plane.events)
        lines += len(plane.lines)


def _starts(space: Space, event: Ints) -> Ints:
    found = np.zeros(len(event), np.int64)
    for begin in range(0, len(event), _TOGETHER):
        some = event[begin : begin + _TOGETHER]
        for plane, first, _ in _planes(space):
            here = np.flatnonzero((some >= first) & (some < first + len(plane.events)))
            found[begin + here] = plane.events.start_ps[some[here] - first]
    return found


def _others(space: Space) -> _Events:
    """Events of host threads that are ops as XProf has it, but no nodes: iterators, copies."""
    none = np.zeros(0, np.int64)
    nothing = Interned(np.zeros(0, np.int32), [])
    parts = [_Events(none, none, none, nothing, nothing)]
    for plane, event, line in _planes(space):
        if plane.name == HOST_THREADS:
            names = Interned(plane.events.name, plane.event_names.name)
            rows = np.flatnonzero(names.map(_is_other))
            if len(rows) and plane.has_stat(_LAUNCH):
                # a call of the driver carries the name of what it launches, and is none
                rows = rows[~plane.stat(_LAUNCH).present[rows]]
            parts.append(
                _Events(
                    rows + event,
                    plane.line_of(rows) + line,
                    plane.events.duration_ps[rows],
                    _used(names, rows),
                    Interned(np.zeros(len(rows), np.int32), [plane.device]),
                )
            )
    return _Events.joined(parts)


def _is_other(name: str) -> bool:
    found = op_name(name)
    return found is not None and found.kind is not OpKind.TENSORFLOW


def _used(names: Interned, rows: Ints) -> Interned:
    """Some rows of a column, over the few strings they hold."""
    codes, place = np.unique(names.codes[rows], return_inverse=True)
    return Interned(place.astype(np.int32), [names.table[code] for code in codes.tolist()])


def _part(names: Interned, attribute: str) -> Interned:
    """The name or the type of the op behind each event."""
    found = Interned.of([str(getattr(op_name(name), attribute)) for name in names.table])
    return Interned(found.codes[names.codes], found.table)


def _on_pipeline_threads(threads: Mapping[int, str], thread: Ints) -> Mask:
    mine = np.zeros(max(threads, default=-1) + 1, bool)
    mine[[number for number, name in threads.items() if name.startswith(_INPUT_THREAD)]] = True
    return mine[thread]


def _in_loops(space: Space) -> Ints:
    """What threads of tf.data do for the body of a loop, which is the model."""
    found = [loop_bodies(plane).work + event for plane, event, _ in _planes(space)]
    return np.concatenate([np.zeros(0, np.int64), *found])


def _of_records(trace: Trace, types: Mapping[str, str]) -> OpEvents:
    """Run metadata: the original's time of each execution, 0 for what it does not time.

    It does not time the copies of a GPU, which stand apart from its streams.
    """
    rows = trace.executions
    copies = rows.device.map(lambda name: name.endswith(COPIES)) & (rows.start > 0)
    micros = np.where(copies, np.maximum(rows.op_end_rel, 1), op_micros(rows))
    total = micros * PS_A_MICROSECOND
    origin = int(rows.start[rows.start > 0].min(initial=np.iinfo(np.int64).max))
    start = (rows.start - origin) * PS_A_MICROSECOND
    names = [
        label_of(name) if is_copy(name) else name.partition(":")[0] for name in rows.node.table
    ]
    nodes = Interned.of(names)
    ops = Interned.of([name if name in LABELS else types.get(name, "") for name in names])
    on_device = rows.device.map(is_part) & (total > 0)
    return OpEvents(
        Interned(nodes.codes[rows.node.codes], nodes.table),
        Interned(ops.codes[rows.node.codes], ops.table),
        rows.device,
        rows.thread,
        trace.threads,
        rows.step,
        start,
        total,
        _self_of_records(rows, start, total),
        np.zeros(len(rows), bool),
        nested=bool(rows.thread.any()),
        origin_ps=origin * PS_A_MICROSECOND,
        device_side=on_device if on_device.any() else None,
        copies=copies if copies.any() else None,
    )


def _self_of_records(rows: Executions, start: Ints, total: Ints) -> Ints:
    """Records that name no thread may have run side by side: nothing is known to be inside them."""
    own = total.copy()
    order = np.lexsort((-total, start, rows.thread, rows.device.codes, rows.step))
    order = order[(rows.thread[order] > 0) & (total[order] > 0)]
    if len(order):
        keys = np.stack([rows.step[order], rows.device.codes[order], rows.thread[order]])
        changes = np.append(False, (np.diff(keys, axis=1) != 0).any(axis=0))
        own[order] = self_times(np.cumsum(changes), start[order], total[order])
    return own
