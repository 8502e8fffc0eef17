"""What went on in a stretch of time, in words that say more than the frames of the runtime do."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.self_time import holders, own_times
from tfprof.analyses.input_events.event_names import is_dequeue
from tfprof.analyses.step_time.category_codes import Codes, code_of
from tfprof.analyses.step_time.classify import Classified
from tfprof.analyses.step_time.overlapping import Overlapping
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.interned import Interned
from tfprof.model.kernel_names import short_name
from tfprof.model.op_names import OpKind, instruction_name, op_name
from tfprof.results.categories import Category

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# around everything TensorFlow does: that they are open does not tell what is going on
_FRAME = late_pattern(
    r"Eager(Kernel|Local)?Execute|KernelAndDevice|TFE_|FunctionRun|ExecutorState|ExecutorDone"
    r"|ThunkExecutor|\w*Executable::|InstantiatedCapturedFunction|SessionRun|RunGraph|TraceContext"
    r"|ParallelFor|__inference_|Iterator::|end: |\w+(Produce|Consume)$"
)
_PYTHON = "$"
_GET_NEXT = "IteratorGetNext"
_CALL = "tf_function_call"


@frozen_dataclass
class Activities:
    """Events of one plane, cut to a stretch of time, without those inside of one that tells all.

    `own` is all the time of an event that is `whole`, of any other its self time.
    """

    label: Interned
    category: Codes
    line: Ints
    start: Ints
    end: Ints
    own: Ints
    # whether the label says what goes on, or only where in the runtime
    telling: Mask
    whole: Mask

    def __len__(self) -> int:
        return len(self.line)

    def where(self, wanted: Mask) -> Activities:
        return Activities(
            Interned(self.label.codes[wanted], self.label.table),
            self.category[wanted],
            self.line[wanted],
            self.start[wanted],
            self.end[wanted],
            self.own[wanted],
            self.telling[wanted],
            self.whole[wanted],
        )


class PlaneActivities:
    """Asked many times about one plane: what names mean is found out once."""

    def __init__(self, one: Classified) -> None:
        self.classified = one
        self._plane = one.plane
        self._overlapping = Overlapping(one.plane)

    def between(self, begin: int, end: int) -> Activities:
        rows = self._overlapping.rows(begin, end)
        rows = rows[self.classified.code[rows] >= 0]
        events = self._plane.events
        line = self._plane.line_of(rows)
        started = events.start_ps[rows]
        start = np.maximum(started, begin)
        stop = np.minimum(started + events.duration_ps[rows], end)
        category = self.classified.code[rows]
        whole, telling = self._whole_and_telling(rows, category)
        holder = holders(line, start, stop)
        own = np.where(whole, stop - start, own_times(holder, stop - start))
        found = Activities(
            self._labels(rows, category), category, line, start, stop, own, telling, whole
        )
        return found.where(~_inside_of(holder, whole))

    def _whole_and_telling(self, rows: Ints, category: Codes) -> tuple[Mask, Mask]:
        name = self._plane.events.name[rows]
        frame, python = self._frames[name], self._python_names[name]
        waits = category == code_of(Category.INPUT)
        opened = category == code_of(Category.OTHER)
        compiles = category == code_of(Category.COMPILATION)
        framed = frame | opened
        # of nested calls in Python and in the compiler, each has its self time to tell
        return waits | ~(framed | python | compiles), waits | compiles | ~framed

    def _labels(self, rows: Ints, category: Codes) -> Interned:
        codes = self._plane.events.name[rows].astype(np.int32)
        table = list(self._texts)
        waits = category == code_of(Category.INPUT)
        codes[waits & ~self._dequeues[codes]] = len(table)
        table.append(_GET_NEXT)
        compiles = np.flatnonzero(category == code_of(Category.COMPILATION))
        calls = np.isin(rows[compiles], self._calls(rows[compiles]))
        for at in compiles[calls].tolist():
            table.append(f"tracing of {self._plane.name_of(int(rows[at]))}")
            codes[at] = len(table) - 1
        # the same words of different names are the same activity
        merged = Interned.of(table)
        return Interned(merged.codes[codes], merged.table)

    def _calls(self, rows: Ints) -> Ints:
        """Those that call a function of TensorFlow."""
        if not len(rows) or not self._plane.has_stat(_CALL):
            return np.zeros(0, np.int64)
        return self._plane.stat_of_rows(_CALL, rows).rows

    @cached_property
    def _texts(self) -> list[str]:
        text = _device_text if self.classified.is_device else _text
        return [text(name) for name in self._plane.event_names.name]

    @cached_property
    def _dequeues(self) -> Mask:
        """Which names are waits for a queue, which has an op of its own."""
        return np.array([is_dequeue(text) for text in self._texts], bool)

    @cached_property
    def _python_names(self) -> Mask:
        return np.array([name.startswith(_PYTHON) for name in self._plane.event_names.name], bool)

    @cached_property
    def _frames(self) -> Mask:
        """By name; a function's call is one too, and only its stat tells that."""
        plane = self._plane
        if self.classified.is_device:
            return np.zeros(len(plane.event_names), bool)
        found = np.array([_FRAME.match(name) is not None for name in plane.event_names.name], bool)
        if plane.has_stat(_CALL):
            rows = self.classified.rows(Category.HOST_PYTHON)
            any_row = np.full(len(found), -1, np.int64)
            any_row[plane.events.name[rows]] = rows
            found[plane.events.name[self._calls(np.sort(any_row[any_row >= 0]))]] = True
        return found


def _text(name: str) -> str:
    """Ops by their type: a model has many of one type."""
    op = op_name(name)
    return op.type if op is not None and op.kind is OpKind.TENSORFLOW else name


def _device_text(name: str) -> str:
    """Kernels by their short names, instructions without what they read and write."""
    return short_name(instruction_name(name))


def _inside_of(holder: Ints, whole: Mask) -> Mask:
    """Whether anything around an event is whole."""
    inside = np.zeros(len(holder), bool)
    above = holder.copy()
    while (above >= 0).any():
        held = np.flatnonzero(above >= 0)
        inside[held] |= whole[above[held]]
        above[held] = holder[above[held]]
    return inside
