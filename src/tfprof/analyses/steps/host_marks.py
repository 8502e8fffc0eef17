"""The events of a host that may mark steps, with what they state about themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.xspace import Plane, Space
from tfprof.results.step_windows import Dropped

Ints = npt.NDArray[np.int64]

_NUMBER, _ROOT = "step_num", "_r"
_CALL, _FUNCTION, _TRACINGS = "tf_function_call", "eager_op", "tracing_count"
# the threads of TensorFlow's own pools; a program's own threads are called otherwise
POOL = "tf_"
# what the runtime and the Python tracer write by the million, and nobody marks steps with
_CHATTER = late_pattern(
    r"\$|TFE_|ThreadpoolListener|ExecutorState|EagerLocalExecute|EagerKernel|EagerCopy|"
    r"KernelAndDevice|ValidateInput|end: |MemoryAllocation$|MemoryDeallocation$"
)
_EVALUATION = late_pattern(r"test|eval|valid|predict", re.IGNORECASE)


@frozen_dataclass(slots=False)
class Marks:
    """Events that a rule takes for steps, by time: on one line, none within another.

    `numbers` are their own; None where they have none. `what` says what they are.
    """

    rule: str
    what: str
    place: int
    plane: Plane
    line: int
    rows: Ints
    numbers: Ints | None = None
    dropped: Sequence[Dropped] = ()

    @property
    def begins(self) -> Ints:
        return self.plane.events.start_ps[self.rows]

    @property
    def ends(self) -> Ints:
        return ends_of(self.plane, self.rows)


@frozen_dataclass(slots=False)
class HostMarks:
    """The events on the threads of a program; `place` is the plane's in the space.

    Stats are read of these only: the pools of threads have a hundred times as many events.
    """

    place: int
    plane: Plane

    @cached_property
    def rows(self) -> Ints:
        plane = self.plane
        told = [not _CHATTER.match(name) for name in names_of(plane)]
        own = [not plane.lines.name[line].startswith(POOL) for line in range(len(plane.lines))]
        mine = np.repeat(np.array(own, bool), np.diff(plane.lines.first))
        mine &= plane.by_name(np.array(told, bool))
        # what was only counted has no time
        found: Ints = np.flatnonzero(mine & (plane.events.occurrences == 0))
        return found

    @cached_property
    def _stats(self) -> dict[str, tuple[Ints, Ints]]:
        names = _NUMBER, _ROOT, _CALL, _TRACINGS
        columns = self.plane.stats_of_rows(self.rows, *names)
        found = zip(names, columns, strict=True)
        return {name: (column.rows, column.ints()) for name, column in found}

    @property
    def numbered(self) -> tuple[Ints, Ints]:
        """Who has a step number, and the numbers."""
        return self._stats[_NUMBER]

    @property
    def roots(self) -> Ints:
        rows, values = self._stats[_ROOT]
        return rows[values > 0]

    @property
    def calls(self) -> Ints:
        """The calls of functions of TensorFlow by Python."""
        return self._stats[_CALL][0]

    @property
    def tracings(self) -> tuple[Ints, Ints]:
        """How often the function of a call had been traced by then."""
        return self._stats[_TRACINGS]

    @cached_property
    def executions(self) -> tuple[Ints, list[str]]:
        """Where functions were executed, and what they are called in the graph."""
        rows = self.rows[np.isin(self.rows, self.plane.named("EagerExecute"))]
        column = self.plane.stat_of_rows(_FUNCTION, rows)
        texts = column.texts()
        wanted = np.array([text.startswith("__") for text in texts.table], bool)
        at = np.flatnonzero(wanted[texts.codes])
        return column.rows[at], [texts[place] for place in at.tolist()]

    def outermost(self, rows: Ints) -> Ints:
        """Those of the rows of one line that are in no other of them, by time."""
        start, end = self.plane.events.start_ps[rows], ends_of(self.plane, rows)
        order = np.lexsort((-end, start))
        start, end = start[order], end[order]
        before = np.maximum.accumulate(end)[:-1]
        free: Ints = order[np.append(True, start[1:] >= before)[: len(rows)]]
        return rows[free]

    def thread(self, line: int) -> str:
        return self.plane.line_name(line) or "without a name"


def ends_of(plane: Plane, rows: Ints) -> Ints:
    """When some events ended, without the sums of all the millions of others."""
    return plane.events.start_ps[rows] + plane.events.duration_ps[rows]


def host_marks(space: Space, host: str) -> list[HostMarks]:
    return [
        HostMarks(place, plane)
        for place, plane in enumerate(space.planes)
        if plane.host == host and not plane.is_device and len(plane.events)
    ]


def is_evaluation(name: str) -> bool:
    return _EVALUATION.match(name) is not None


def names_of(plane: Plane) -> Sequence[str]:
    return plane.event_names.name
