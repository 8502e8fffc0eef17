"""The op behind everything that a device ran: kernels, copies and instructions alike.

Where nothing names an op the event gets a label, so that no time of the device is lost.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.device_labels import NO_OP, label_of
from tfprof.model.hlo_programs import Programs, of_path, unknown
from tfprof.model.interned import Interned
from tfprof.model.joint_codes import joint_codes
from tfprof.model.kernel_lines import is_tpu, lines_that_count
from tfprof.model.op_names import OpKind, OpName, op_name
from tfprof.model.xspace import Plane
from tfprof.wire.distinct import numbered

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

INSTRUCTION, MODULE, PROGRAM = "hlo_op", "hlo_module", "program_id"
# what says the op, in the order of trust: today's tracer, and two stats of earlier ones
ANNOTATIONS = ("tf_op", "level 0", "annotation")
_CATEGORY = "hlo_category"
_DETAILS = "memcpy_details"
# behind the op stand its shapes, and the annotations below it
_BEHIND = late_pattern(r"#|::")
_NESTED = "::"
_KINDS = (OpKind.TENSORFLOW, OpKind.JAX)


@frozen_dataclass
class Attributed:
    """Events of a plane, and for each a row of `ops`.

    `runs` are alike where events are of one op that may be several kernels: an instruction of one
    program, else a node.
    """

    rows: Ints
    codes: Codes
    ops: list[OpName]
    runs: Codes


def attributed(plane: Plane, programs: Programs) -> Attributed:
    """Every event of the lines that count."""
    rows = counted_rows(plane)
    said = _Said(plane, rows)
    codes, distinct = said.combined()
    ops = [_op(one, programs, is_instruction=is_tpu(plane)) for one in distinct]
    keys = [
        _key(one, op, is_instruction=is_tpu(plane)) for one, op in zip(distinct, ops, strict=True)
    ]
    return Attributed(rows, codes, ops, Interned.of(keys).codes[codes])


def _key(said: _Words, op: OpName, *, is_instruction: bool) -> str:
    """Of what kernels have in common that are one execution; nothing, if nobody knows their op."""
    own = said.shown if is_instruction else said.name if op.name == NO_OP else op.name
    return f"{said.program} {said.instruction or own}"


def counted_rows(plane: Plane) -> Ints:
    """Those of lines that tell each kernel once; what was only counted has no time."""
    counts = lines_that_count(plane)[plane.line_of(np.arange(len(plane.events)))]
    return np.flatnonzero(counts & (plane.events.occurrences == 0))


def instruction_of(text: str) -> str:
    """Annotations may nest: the innermost is the instruction."""
    return text.rpartition(_NESTED)[2] or text


@frozen_dataclass
class _Words:
    """What an event says of itself; empty, or None, where it says nothing."""

    name: str
    shown: str
    annotations: tuple[str, ...]
    instruction: str
    module: str
    program: int | None
    category: str
    details: str


class _Said:
    """The stats of some events, each as a small number; alike ones are looked at once."""

    def __init__(self, plane: Plane, rows: Ints) -> None:
        self._plane, self._rows = plane, rows
        texts = (*ANNOTATIONS, INSTRUCTION, MODULE, _CATEGORY, _DETAILS)
        self._texts = {name: self._text(name) for name in texts if plane.has_stat(name)}
        self._numbers, self._program = self._number(PROGRAM)

    def _text(self, stat: str) -> Interned:
        found = self._plane.stat(stat)
        texts = found.texts()
        if len(found) == len(self._plane.events) == len(self._rows):
            return Interned(texts.codes, [*texts.table, ""])
        codes = np.full(len(self._plane.events), len(texts.table), np.int32)
        codes[found.rows] = texts.codes
        return Interned(codes[self._rows], [*texts.table, ""])

    def _number(self, stat: str) -> tuple[Ints, Codes]:
        """The different numbers, and which of them each event has; -1 without one."""
        if not self._plane.has_stat(stat):
            return np.zeros(0, np.int64), np.full(len(self._rows), -1, np.int32)
        found = self._plane.stat(stat)
        distinct, codes = numbered(found.ints())
        place = np.full(len(self._plane.events), -1, np.int32)
        place[found.rows] = codes
        return distinct, place[self._rows]

    def combined(self) -> tuple[Codes, list[_Words]]:
        name = self._plane.events.name[self._rows]
        columns = [name, self._program + 1, *(one.codes for one in self._texts.values())]
        code, first = joint_codes(columns)
        return code, [self._words(row) for row in first.tolist()]

    def _words(self, row: int) -> _Words:
        names = self._plane.event_names
        at = int(self._plane.events.name[self._rows[row]])
        said = {key: one[row] for key, one in self._texts.items()}
        number = int(self._program[row])
        return _Words(
            names.name[at],
            names.display_name[at],
            tuple(said[key] for key in ANNOTATIONS if said.get(key)),
            instruction_of(said.get(INSTRUCTION, "")),
            said.get(MODULE, ""),
            None if number < 0 else int(self._numbers[number]),
            said.get(_CATEGORY, ""),
            said.get(_DETAILS, ""),
        )


def _op(said: _Words, programs: Programs, *, is_instruction: bool) -> OpName:
    if is_instruction:
        return _of_instruction(said, programs)
    if said.instruction:
        known = programs.instruction(said.module, said.program, said.instruction)
        if known is not None:
            return known.op
    for found in _annotated(said):
        return found
    if said.instruction:
        return unknown(said.instruction)
    label = label_of(said.name, said.details)
    return OpName(OpKind.COPY, label, label)


def _annotated(said: _Words) -> Iterator[OpName]:
    """A label without a type is the runtime's, no op."""
    for text in said.annotations:
        found = op_name(_BEHIND.split(text, maxsplit=1)[0])
        if found is not None and found.kind in _KINDS:
            yield found


def _of_instruction(said: _Words, programs: Programs) -> OpName:
    """A TPU runs instructions: their names tell all, the op behind them stands in a stat."""
    name = said.shown or said.name.partition(" = ")[0].removeprefix("%")
    for text in said.annotations:
        if text.rstrip(":"):
            return _typed(text)
    known = programs.instruction(said.module, said.program, said.instruction or name)
    if known is not None:
        return known.op
    return OpName(OpKind.XLA, name, said.category or unknown(name).type)


def _typed(text: str) -> OpName:
    """`model/dense/MatMul:MatMul` of TensorFlow, `jit(f)/dot_general:` of JAX."""
    path, _, kind = text.rpartition(":")
    return OpName(OpKind.XLA, path, kind) if path and kind else of_path(text.rstrip(":"))
