"""The events of a device in columns: the one place that says what each of them is.

A row is an event of the lines that tell each kernel once. Everything is worked out when it is
asked for: steps need activities, a table of kinds needs programs and rules of ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tfprof.analyses.device_events.activities import (
    ACTIVITIES,
    activity_codes,
    code_of,
    in_half_precision,
)
from tfprof.analyses.device_events.kinds import kind_of
from tfprof.analyses.device_events.own_times import own_times_of
from tfprof.analyses.device_events.phases import phase_of
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device_ops import (
    INSTRUCTION,
    MODULE,
    PROGRAM,
    Attributed,
    attributed,
    instruction_of,
)
from tfprof.model.device_times import device_times
from tfprof.model.executions_begun import begun
from tfprof.model.hlo_programs import Instruction, Program, Programs
from tfprof.model.interned import Interned
from tfprof.model.joint_codes import joint_codes
from tfprof.model.kernel_lines import is_tpu
from tfprof.model.op_names import OpName, instruction_name
from tfprof.model.xspace import Plane, Space
from tfprof.results.device_work import Activity, Kind, Phase

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Value = TypeVar("Value")

_GROUP, _SOURCE, _CATEGORY = "group_id", "source", "hlo_category"
_NOT_GROUPED = -1
NO_SOURCE = "(no source)"


@frozen_dataclass(slots=False)
class DeviceEvents:
    """One device; all columns are in the order of `rows`, which are rows of its plane."""

    plane: Plane
    programs: Programs

    @cached_property
    def _attributed(self) -> Attributed:
        return attributed(self.plane, self.programs)

    @property
    def rows(self) -> Ints:
        return self._attributed.rows

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def node(self) -> Interned:
        """The op that each event ran for, by name; a label in brackets where there is none."""
        return self._of_op(lambda op: op.name)

    @property
    def ops(self) -> list[OpName]:
        """The different ones that events ran for."""
        return self._attributed.ops

    @cached_property
    def op(self) -> Interned:
        """Its type."""
        return self._of_op(lambda op: op.type)

    def _of_op(self, part: Callable[..., str]) -> Interned:
        found = Interned.of([part(op) for op in self._attributed.ops])
        return Interned(found.codes[self._attributed.codes], found.table)

    @cached_property
    def kernel(self) -> Interned:
        """What ran, as the device calls it: a kernel, a copy, an instruction."""
        names = self.plane.event_names
        shown = zip(names.name, names.display_name, strict=True)
        table = Interned.of([short or instruction_name(name) for name, short in shown])
        return Interned(table.codes[self.plane.events.name[self.rows]], table.table)

    @cached_property
    def start_ps(self) -> Ints:
        """By the clock that all lines share."""
        return self.plane.events.start_ps[self.rows]

    @cached_property
    def duration_ps(self) -> Ints:
        """By the clock of the device."""
        return device_times(self.plane, self.rows)[1]

    @cached_property
    def self_ps(self) -> Ints:
        """The same without the instructions inside a loop or a call: these times add up."""
        return own_times_of(self.plane, self.rows)

    @cached_property
    def activity(self) -> npt.NDArray[np.int8]:
        """A place in ACTIVITIES."""
        return activity_codes(self.plane)[self.rows]

    def doing(self, *activities: Activity) -> Mask:
        return np.isin(self.activity, [code_of(one) for one in activities])

    @cached_property
    def is_copy(self) -> Mask:
        """By engines of their own, beside the kernels."""
        return self.doing(*(one for one in ACTIVITIES if one.is_copy))

    @cached_property
    def is_half(self) -> Mask:
        """In 16 or 8 bits."""
        codes, _ = self._distinct
        known = np.array([one is not None and one.is_half for one in self._known] or [False])
        found: Mask = in_half_precision(self.plane)[self.rows] | known[codes]
        return found

    @cached_property
    def group(self) -> Ints:
        """The step that a tool has written to each event; -1 where none has."""
        if not self.plane.has_stat(_GROUP):
            return np.broadcast_to(np.int64(_NOT_GROUPED), (len(self),))
        return self.plane.stat(_GROUP).over_all(absent=_NOT_GROUPED)[self.rows]

    @cached_property
    def begins(self) -> Mask:
        """Whether an execution of its op begins with each: one may be several kernels."""
        return begun(self.plane, self.rows, self._attributed.runs)

    @cached_property
    def instruction(self) -> Interned:
        """XLA's; empty where it compiled nothing."""
        if is_tpu(self.plane):
            return self.kernel
        found = self._text(INSTRUCTION)
        table = Interned.of([instruction_of(text) for text in found.table])
        return Interned(table.codes[found.codes], table.table)

    @cached_property
    def program(self) -> Ints:
        """The number of XLA's program, as 64 bits; 0 where there is none."""
        if not self.plane.has_stat(PROGRAM):
            return np.broadcast_to(np.int64(0), (len(self),))
        return self.plane.stat(PROGRAM).over_all()[self.rows]

    def _text(self, stat: str) -> Interned:
        """The empty string without one."""
        if not self.plane.has_stat(stat):
            return Interned(np.broadcast_to(np.int32(0), (len(self),)), [""])
        found = self.plane.stat(stat)
        texts = found.texts()
        codes = np.full(len(self.plane.events), len(texts.table), np.int32)
        codes[found.rows] = texts.codes
        return Interned(codes[self.rows], [*texts.table, ""])

    @cached_property
    def phase(self) -> Interned:
        """A value of Phase."""
        found = [phase_of(op.name, op.type) for op in self._attributed.ops]
        return _of_values(self._attributed.codes, found, list(Phase))

    @cached_property
    def kind(self) -> Interned:
        """A value of Kind."""
        codes, first = self._distinct
        op, kernel = self.op, self.kernel
        found = []
        for row, known in zip(first.tolist(), self._known, strict=True):
            instruction = self.instruction[row]
            words = f"{instruction} {kernel[row]}"
            if known is not None:
                words = f"{instruction} {known.target} {known.category} {kernel[row]}"
            said = (words, op[row]) if instruction else (op[row], words)
            found.append(kind_of(ACTIVITIES[int(self.activity[row])], *said))
        return _of_values(codes, found, list(Kind))

    @cached_property
    def hlo_category(self) -> Interned:
        """What XLA calls the kind of an instruction: `loop fusion`, `copy-done`."""
        stated = self._text(_CATEGORY)
        if stated.map(bool).any():
            return stated
        codes, _ = self._distinct
        texts = Interned.of([known.category if known else "" for known in self._known])
        return Interned(texts.codes[codes], texts.table)

    @cached_property
    def source(self) -> Interned:
        """File and line of the program, where the capture tells them."""
        stated = self._text(_SOURCE)
        codes, first = self._distinct
        found = [
            stated[row] or (known.source if known is not None else "") or NO_SOURCE
            for row, known in zip(first.tolist(), self._known, strict=True)
        ]
        texts = Interned.of(found)
        return Interned(texts.codes[codes], texts.table)

    @cached_property
    def _distinct(self) -> tuple[npt.NDArray[np.int32], Ints]:
        """Events that are alike in all that names them: which they are, and the first of each."""
        columns: list[npt.NDArray[np.integer[Any]]] = [
            self._attributed.codes,
            self.plane.events.name[self.rows],
            self.instruction.codes,
            self._text(_SOURCE).codes,
            self.activity,
        ]
        if self.plane.has_stat(PROGRAM):
            columns.insert(3, np.unique(self.program, return_inverse=True)[1])
        return joint_codes(columns)

    @property
    def instruction_codes(self) -> npt.NDArray[np.int32]:
        """Which of the different instructions each event is."""
        return self._distinct[0]

    @cached_property
    def different_instructions(self) -> list[tuple[Program | None, str]]:
        """Each with the program that it is of."""
        _, first = self._distinct
        module = self._text(MODULE)
        return [
            (
                self.programs.program(module[row], int(self.program[row]) or None),
                self.instruction[row],
            )
            for row in first.tolist()
        ]

    @cached_property
    def _known(self) -> list[Instruction | None]:
        """The instruction behind each of the different events, as its program has it."""
        return [
            None if program is None else program.instructions.get(name)
            for program, name in self.different_instructions
        ]


def _of_values(codes: npt.NDArray[np.int32], found: list[Value], every: list[Value]) -> Interned:
    """A column over all values of an enum, each by its word."""
    place = np.array([every.index(one) for one in found] or [0], np.int32)
    return Interned(place[codes], [str(one.value) for one in every])  # type: ignore[attr-defined]


def device_events(space: Space) -> Iterator[DeviceEvents]:
    """Of every device of a capture, in the order of its planes; one need not wait for the next."""
    return (DeviceEvents(plane, space.compiled) for plane in space.planes if plane.is_device)
