"""The ops of an XPlane capture as executions, as a run of TensorFlow 1 has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tfprof.model.interned import Interned, looked_up
from tfprof.model.kernel_lines import lines_that_count
from tfprof.model.op_names import OpKind, OpName, op_name
from tfprof.model.trace import Executions
from tfprof.model.units import NS_A_MICROSECOND, PS_A_MICROSECOND, PS_A_NANOSECOND
from tfprof.model.xspace import HOST_THREADS, Plane, Space
from tfprof.sources.xplane.hlo import Program, programs, unknown

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

_ANNOTATION = "tf_op"
_INSTRUCTION, _PROGRAM, _PROGRAM_ID = "hlo_op", "hlo_module", "program_id"
_GROUP = "group_id"


@dataclass(frozen=True, slots=True)
class _Ops:
    """The events of a plane that ran an op: where they stand, and the op of each."""

    plane: Plane
    rows: Ints
    node: Interned
    type: Interned

    @classmethod
    def of(cls, plane: Plane, rows: Ints, names: Interned) -> _Ops:
        """By what the event, or a stat of it, is called."""
        used = {code: op_name(names.table[code]) for code in names.used()}
        return cls._by_code(plane, rows, names.codes, used)

    @classmethod
    def _by_code(
        cls, plane: Plane, rows: Ints, codes: Codes, op: Mapping[int, OpName | None]
    ) -> _Ops:
        nodes = Interned.of(found.name if found else "" for found in op.values())
        types = Interned.of(found.type if found else "" for found in op.values())
        place = np.zeros(max(op, default=0) + 1, np.int32)
        place[list(op)] = np.arange(len(op))
        where = looked_up(place, codes)
        return cls(
            plane,
            rows,
            Interned(looked_up(nodes.codes, where), nodes.table),
            Interned(looked_up(types.codes, where), types.table),
        )

    @classmethod
    def compiled(
        cls, plane: Plane, rows: Ints, texts: Interned, known: Mapping[str, Program]
    ) -> _Ops:
        """Instructions of XLA, by the op that each was compiled from."""
        program = _program_of(plane, rows)
        pairs = program.codes.astype(np.int64) * len(texts.table) + texts.codes
        distinct, codes = np.unique(pairs, return_inverse=True)
        op: dict[int, OpName | None] = {}
        for code, pair in enumerate(distinct.tolist()):
            name, instruction = divmod(pair, len(texts.table))
            text = texts.table[instruction]
            op[code] = known.get(program.table[name], {}).get(text) or unknown(text)
        return cls._by_code(plane, rows, codes.astype(np.int32), op)


def executions(space: Space) -> tuple[Executions, dict[int, str]]:
    """The ops of threads and devices, and the names of the lines, which are numbered through."""
    threads: dict[int, str] = {}
    parts: list[Executions] = []
    compiled = any(plane.has_stat(_INSTRUCTION) for plane in space.planes)
    known = programs(space.programs()) if compiled else {}
    events = 0
    for plane in space.planes:
        first = len(threads)
        threads |= {first + line: plane.line_name(line) for line in range(len(plane.lines))}
        found = [ops for ops in _ops(plane, known) if len(ops.rows)]
        parts += [_part(space, ops, first, events) for ops in found]
        events += len(plane.events)
    return Executions.joined(parts or [_none()]), threads


def _ops(plane: Plane, known: Mapping[str, Program]) -> Iterator[_Ops]:
    if plane.name == HOST_THREADS or plane.is_placed:
        # one name an op: asked once a name, not once an event
        names = Interned(plane.events.name, plane.event_names.name)
        rows = np.flatnonzero(names.map(_is_op))
        yield _Ops.of(plane, rows, _at(names, rows))
        # calls of a GPU's driver say which instruction they launch, and are none
        yield from _compiled(plane, rows, known, without="correlation_id")
    elif plane.is_device:
        rows, names = _annotated(plane)
        yield _Ops.of(plane, rows, names)
        yield from _compiled(plane, rows, known)


def _annotated(plane: Plane) -> tuple[Ints, Interned]:
    """What ran on a device says in a stat for which op it ran."""
    found = plane.stat(_ANNOTATION)
    texts, rows = found.texts(), found.rows
    keep = np.flatnonzero(texts.map(_is_op) & lines_that_count(plane)[plane.line_of(rows)])
    return rows[keep], _at(texts, keep)


def _compiled(
    plane: Plane, taken: Ints, known: Mapping[str, Program], without: str = ""
) -> Iterator[_Ops]:
    """What XLA compiled, unless the event has told its op already."""
    if not plane.has_stat(_INSTRUCTION):
        return
    found = plane.stat(_INSTRUCTION)
    texts, rows = found.texts(), found.rows
    other = ~np.isin(rows, taken)
    if plane.is_device:
        other &= lines_that_count(plane)[plane.line_of(rows)]
    if without and plane.has_stat(without):
        other &= ~plane.stat(without).present[rows]
    keep = np.flatnonzero(other & texts.map(bool))
    yield _Ops.compiled(plane, rows[keep], _at(texts, keep), known)


def _program_of(plane: Plane, rows: Ints) -> Interned:
    """The program of each event, with its number if it has one: `module(7)`."""
    number = plane.stat(_PROGRAM_ID).over_all(absent=-1)[rows]
    found = plane.stat(_PROGRAM)
    texts = found.texts()
    code = np.full(len(plane.events), -1, np.int64)
    code[found.rows] = texts.codes
    pairs = np.stack([code[rows], number])
    distinct, codes = np.unique(pairs, axis=1, return_inverse=True)
    names = [
        (texts.table[name] if name >= 0 else "") + (f"({which})" if which >= 0 else "")
        for name, which in distinct.T.tolist()
    ]
    return Interned(codes.reshape(-1).astype(np.int32), names or [""])


def _is_op(name: str) -> bool:
    found = op_name(name)
    return found is not None and found.kind is OpKind.TENSORFLOW


def _at(column: Interned, rows: Ints) -> Interned:
    return Interned(column.codes[rows], column.table)


def _part(space: Space, ops: _Ops, first_thread: int, first_event: int) -> Executions:
    plane, rows = ops.plane, ops.rows
    count = len(rows)
    duration = plane.events.duration_ps[rows]
    micros = duration + PS_A_MICROSECOND // 2
    micros //= PS_A_MICROSECOND
    nothing = np.broadcast_to(np.int64(0), (count,))
    return Executions(
        node=ops.node,
        device=Interned(np.zeros(count, np.int32), [plane.device]),
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
        op=ops.type,
        duration_ps=duration,
        event=rows + first_event,
    )


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


def _none() -> Executions:
    none, names = np.zeros(0, np.int64), Interned(np.zeros(0, np.int32), [])
    return Executions(
        names, names, none, none, none, none, none, none, none, none, none, none, names, none, none
    )
