"""The ops of an XPlane capture as executions, as a run of TensorFlow 1 has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tfprof.model.interned import Interned
from tfprof.model.op_names import OpKind, op_name
from tfprof.model.trace import Executions
from tfprof.model.xspace import HOST_THREADS, Plane, Space

Ints = npt.NDArray[np.int64]

_ANNOTATION = "tf_op"
_GROUP = "group_id"
# lines that XProf adds to a device from its other lines: their time is there already
_DERIVED = (
    "Steps", "Framework Name Scope", "Framework Ops", "TensorFlow Name Scope", "TensorFlow Ops",
    "XLA Modules", "XLA Ops", "Source code", "Source Code", "Launch Stats", "XLA TraceMe",
)  # fmt: skip
# of a TPU, the one line that holds each op once
_TPU_OPS = "XLA Ops"
_PS_A_MICROSECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class _Ops:
    """The events of a plane that ran an op: where they stand, and the op of each as a name."""

    plane: Plane
    device: str
    rows: Ints
    op: Interned


def executions(space: Space) -> tuple[Executions, dict[int, str]]:
    """The ops of threads and devices, and the names of the lines, which are numbered through."""
    threads: dict[int, str] = {}
    parts: list[Executions] = []
    for plane in space.planes:
        first = len(threads)
        threads |= {first + line: plane.line_name(line) for line in range(len(plane.lines))}
        parts += [_part(space, ops, first) for ops in _ops(plane) if len(ops.rows)]
    return Executions.joined(parts or [_none()]), threads


def _ops(plane: Plane) -> Iterator[_Ops]:
    if plane.name == HOST_THREADS:
        # one name an op: asked once a name, not once an event
        names = Interned(plane.events.name, plane.event_names.name)
        rows = np.flatnonzero(names.map(_is_op))
        yield _Ops(plane, _device(plane, "/device:CPU:0"), rows, _at(names, rows))
    elif plane.is_device:
        yield _device_ops(plane)


def _device_ops(plane: Plane) -> _Ops:
    """What ran on a device says in a stat for which op it ran."""
    found = plane.stat(_ANNOTATION)
    texts = found.texts()
    rows = found.rows
    keep = np.flatnonzero(texts.map(_is_op) & _lines_that_count(plane)[plane.line_of(rows)])
    # the original's name for the time that all streams of a device took together
    device = _device(plane, f"{plane.name}/stream:all")
    return _Ops(plane, device, rows[keep], _at(texts, keep))


def _lines_that_count(plane: Plane) -> npt.NDArray[np.bool_]:
    names = [name.partition(" - from ")[0] for name in plane.lines.name]
    if "TPU" in plane.name:
        return np.array([name == _TPU_OPS for name in names], bool)
    return np.array([name not in _DERIVED for name in names], bool)


def _is_op(name: str) -> bool:
    found = op_name(name)
    return found is not None and found.kind is OpKind.TENSORFLOW


def _at(column: Interned, rows: Ints) -> Interned:
    return Interned(column.codes[rows], column.table)


def _device(plane: Plane, name: str) -> str:
    return f"/host:{plane.host}{name}" if plane.host else name


def _part(space: Space, ops: _Ops, first_thread: int) -> Executions:
    plane, rows = ops.plane, ops.rows
    count = len(rows)
    duration = plane.events.duration_ps[rows]
    micros = (duration + _PS_A_MICROSECOND // 2) // _PS_A_MICROSECOND
    nothing = np.broadcast_to(np.int64(0), (count,))
    return Executions(
        node=_part_of(ops.op, "name"),
        device=Interned(np.zeros(count, np.int32), [ops.device]),
        step=_steps(plane, rows),
        start=_start_micros(space, plane, rows),
        op_start_rel=nothing,
        op_end_rel=micros,
        end_rel=micros,
        thread=plane.line_of(rows) + first_thread,
        requested=nothing,
        peak=nothing,
        residual=nothing,
        output=nothing,
        op=_part_of(ops.op, "type"),
        duration_ps=duration,
    )


def _part_of(column: Interned, attribute: str) -> Interned:
    """The name or the type of each op, from the events' own names."""
    used = column.used()
    parts = Interned.of(str(getattr(op_name(column.table[code]), attribute)) for code in used)
    code = np.zeros(len(column.table), np.int32)
    code[used] = parts.codes
    return Interned(code[column.codes], parts.table)


def _steps(plane: Plane, rows: Ints) -> Ints:
    """The step that a tool has written to the events; -1 where none has."""
    if not plane.has_stat(_GROUP):
        return np.broadcast_to(np.int64(-1), (len(rows),))
    return plane.stat(_GROUP).over_all(absent=-1)[rows]


def _start_micros(space: Space, plane: Plane, rows: Ints) -> Ints:
    """Never 0, which stands for not started."""
    nanos = plane.events.start_ps[rows] // 1000 + space.origin_ns
    return np.maximum(nanos // 1000, 1)


def _none() -> Executions:
    none, names = np.zeros(0, np.int64), Interned(np.zeros(0, np.int32), [])
    return Executions(
        names, names, none, none, none, none, none, none, none, none, none, none, names, none
    )
