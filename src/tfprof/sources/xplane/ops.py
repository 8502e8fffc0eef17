"""The ops of an XPlane capture as executions, as a run of TensorFlow 1 has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import ALL_STREAMS, COPIES, is_part, is_stream, without_part
from tfprof.model.device_labels import is_copy, label_of
from tfprof.model.device_ops import INSTRUCTION, MODULE, PROGRAM, attributed
from tfprof.model.device_times import device_times
from tfprof.model.executions_begun import begun
from tfprof.model.hlo_programs import Programs, unknown
from tfprof.model.host_xla import regions_of, waits_for_a_program
from tfprof.model.interned import Interned, looked_up
from tfprof.model.later_columns import LaterColumns, joined
from tfprof.model.op_names import OpKind, OpName, op_name
from tfprof.model.trace import Executions
from tfprof.model.units import NS_A_MICROSECOND, PS_A_MICROSECOND, PS_A_NANOSECOND
from tfprof.model.xspace import HOST_THREADS, Plane, Space, line_of
from tfprof.sources.xplane.eager_ops import eager_runs, eager_type

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

_GROUP = "group_id"
# what the host did for a device, by the name of what it launched
_LAUNCH = "correlation_id"
_END = attrgetter("op_end_rel")


@frozen_dataclass
class _Ops:
    """The events of a plane that ran an op: where they stand, and the op of each.

    Of an op that is several events, the first `begins` its execution. `duration_ps` is how long
    each took where that is not the duration of the event.
    """

    plane: Plane
    rows: Ints
    node: Interned
    type: Interned
    begins: Mask | None = None
    duration_ps: Ints | None = None

    @classmethod
    def of(cls, plane: Plane, rows: Ints, names: Interned) -> _Ops:
        """By what the event, or a stat of it, is called."""
        used = {code: _labelled(op_name(names.table[code])) for code in names.used()}
        return cls.by_code(plane, rows, names.codes, used)

    @classmethod
    def by_code(
        cls, plane: Plane, rows: Ints, codes: Codes, op: Mapping[int, OpName | None]
    ) -> _Ops:
        nodes = Interned.of(found.name if found else "" for found in op.values())
        types = Interned.of(found.type if found else "" for found in op.values())
        place = np.zeros(max(op, default=-1) + 1, np.int32)
        place[list(op)] = np.arange(len(op))
        return cls(
            plane,
            rows,
            Interned(looked_up(nodes.codes[place], codes), nodes.table),
            Interned(looked_up(types.codes[place], codes), types.table),
        )


def executions(space: Space) -> tuple[Executions, dict[int, str]]:
    """The ops of threads and devices, and the names of the lines, which are numbered through."""
    names = (plane.line_name(line) for plane in space.planes for line in range(len(plane.lines)))
    found = joined(_parts(space))
    if not len(found):
        found = joined(_eager_parts(space))
    return found, dict(enumerate(names))


def _parts(space: Space) -> Iterator[Executions]:
    compiled = any(plane.has_stat(INSTRUCTION) or plane.is_device for plane in space.planes)
    known = space.compiled if compiled else Programs()
    repeated = _told_again(space)
    lines = events = 0
    for plane in space.planes:
        if plane.name not in repeated:
            for ops in _ops(plane, known):
                if len(ops.rows):
                    yield _part(space, ops, lines, events)
        lines += len(plane.lines)
        events += len(plane.events)


def _eager_parts(space: Space) -> Iterator[Executions]:
    """Where Python asks for every op by itself, no op has an event of its own."""
    first = events = 0
    for plane in space.planes:
        if plane.name == HOST_THREADS:
            rows, codes = eager_runs(plane)
            types = {code: eager_type(plane.event_names.name[code]) for code in set(codes.tolist())}
            op = {code: OpName(OpKind.TENSORFLOW, kind, kind) for code, kind in types.items()}
            if len(rows):
                yield _part(space, _Ops.by_code(plane, rows, codes, op), first, events)
        first, events = first + len(plane.lines), events + len(plane.events)


def _told_again(space: Space) -> set[str]:
    """Single streams of a device whose streams stand all together as well, its copies apart."""
    whole = {without_part(one.name) for one in space.planes if one.name.endswith(ALL_STREAMS)}
    return {
        one.name
        for one in space.planes
        if is_part(one.name)
        and not one.name.endswith(ALL_STREAMS)
        and (is_stream(one.name) if without_part(one.name) in whole else one.name.endswith(COPIES))
    }


def _ops(plane: Plane, known: Programs) -> Iterator[_Ops]:
    if plane.name == HOST_THREADS or plane.is_placed:
        # one name an op: asked once a name, not once an event
        wanted = _is_copy_or_op if is_part(plane.name) else _is_op
        names = plane.event_names.name
        rows = plane.rows_called([row for row, name in enumerate(names) if wanted(name)])
        launches = _is_no_op(plane, rows)
        rows = rows[~launches] if launches is not None else rows
        yield _Ops.of(plane, rows, Interned(plane.events.name[rows], names))
        yield from _compiled(plane, rows, known)
    elif plane.is_device:
        found = attributed(plane, known)
        ops = _Ops.by_code(plane, found.rows, found.codes, dict(enumerate(found.ops)))
        _, took = device_times(plane, found.rows)
        yield replace(ops, begins=begun(plane, found.rows, found.runs), duration_ps=took)


def _is_no_op(plane: Plane, rows: Ints) -> Mask | None:
    """What carries the name of an op, and is none: launches, and waiting for a whole program.

    None where nothing of that kind can be.
    """
    if not plane.has_stat(_LAUNCH) and not plane.has_stat(INSTRUCTION):
        return None
    found = np.zeros(len(rows), bool)
    if plane.name == HOST_THREADS and plane.has_stat(_LAUNCH):
        found |= plane.stat(_LAUNCH).present[rows]
    if plane.has_stat(INSTRUCTION):
        found |= waits_for_a_program(plane, rows)
    return found


def _compiled(plane: Plane, taken: Ints, known: Programs) -> Iterator[_Ops]:
    """What XLA compiled, unless the event has told its op already."""
    if not plane.has_stat(INSTRUCTION):
        return
    found = plane.stat(INSTRUCTION)
    texts, rows = found.texts(), found.rows
    other = ~np.isin(rows, taken)
    # calls of a GPU's driver say which instruction they launch, and are none
    if plane.has_stat(_LAUNCH):
        other &= ~plane.stat(_LAUNCH).present[rows]
    keep = np.flatnonzero(other & texts.map(bool))
    ops = _instructions(plane, rows[keep], _at(texts, keep), known)
    yield ops
    regions = regions_of(plane, ops.rows)
    yield replace(
        ops,
        rows=regions.rows,
        node=_at(ops.node, regions.owner),
        type=_at(ops.type, regions.owner),
        begins=np.zeros(len(regions.rows), bool),
        duration_ps=regions.duration_ps,
    )


def _instructions(plane: Plane, rows: Ints, texts: Interned, known: Programs) -> _Ops:
    """Instructions of XLA, by the op that each was compiled from."""
    module, number = _text_at(plane, MODULE, rows), plane.stat(PROGRAM).over_all(absent=-1)[rows]
    numbers, which = np.unique(number, return_inverse=True)
    pairs = texts.codes.astype(np.int64)
    for codes, count in ((module.codes, len(module.table)), (which, len(numbers))):
        pairs = pairs * count + codes
    _, first, codes = np.unique(pairs, return_index=True, return_inverse=True)
    op: dict[int, OpName | None] = {}
    for code, row in enumerate(first.tolist()):
        found = known.instruction(module[row], int(number[row]), texts[row])
        op[code] = found.op if found is not None else unknown(texts[row])
    return _Ops.by_code(plane, rows, codes.astype(np.int32), op)


def _text_at(plane: Plane, stat: str, rows: Ints) -> Interned:
    """A stat of some events, the empty string without one."""
    found = plane.stat(stat)
    texts = found.texts()
    codes = np.full(len(plane.events), len(texts.table), np.int32)
    codes[found.rows] = texts.codes
    return Interned(codes[rows], [*texts.table, ""])


def _labelled(op: OpName | None) -> OpName | None:
    """A copy that a device of TensorFlow 1 made belongs to an edge, and to no op."""
    if op is None or not is_copy(op.type):
        return op
    label = label_of(op.type)
    return OpName(OpKind.COPY, label, label)


def _is_copy_or_op(name: str) -> bool:
    found = op_name(name)
    return found is not None and found.kind in (OpKind.TENSORFLOW, OpKind.COPY)


def _is_op(name: str) -> bool:
    found = op_name(name)
    return found is not None and found.kind is OpKind.TENSORFLOW


def _at(column: Interned, rows: Ints) -> Interned:
    return Interned(column.codes[rows], column.table)


def _part(space: Space, ops: _Ops, first_thread: int, first_event: int) -> Executions:
    plane, rows, lines = ops.plane, ops.rows, ops.plane.lines
    count = len(rows)
    duration = plane.events.duration_ps[rows] if ops.duration_ps is None else ops.duration_ps
    nothing = np.broadcast_to(np.int64(0), (count,))
    return LaterColumns.of(
        {
            "start": lambda _: _start_micros(space, plane, rows),
            "op_end_rel": _whole_micros,
            "end_rel": _END,
            "thread": lambda _: line_of(lines, rows) + first_thread,
        },
        node=ops.node,
        device=Interned(np.broadcast_to(np.int32(0), (count,)), [plane.device]),
        step=_steps(plane, rows),
        op_start_rel=nothing,
        requested=nothing,
        peak=nothing,
        residual=nothing,
        output=nothing,
        op=ops.type,
        duration_ps=duration,
        event=rows + first_event if first_event else rows,
        begins=np.ones(count, bool) if ops.begins is None else ops.begins,
    )


def _whole_micros(rows: Executions) -> Ints:
    took = np.zeros(0, np.int64) if rows.duration_ps is None else rows.duration_ps
    return (took + PS_A_MICROSECOND // 2) // PS_A_MICROSECOND


def _steps(plane: Plane, rows: Ints) -> Ints:
    """The step that a tool has written to the events; -1 where none has."""
    if not plane.has_stat(_GROUP):
        return np.broadcast_to(np.int64(-1), (len(rows),))
    return plane.stat(_GROUP).over_all(absent=-1)[rows]


def _start_micros(space: Space, plane: Plane, rows: Ints) -> Ints:
    """Never 0, which stands for not started."""
    whole, rest = divmod(space.origin_ns, NS_A_MICROSECOND)
    # in place: a capture has millions of them
    micros = plane.events.start_ps[rows]
    micros += rest * PS_A_NANOSECOND
    micros //= PS_A_MICROSECOND
    micros += whole
    return np.maximum(micros, 1, out=micros)
