"""What several traces serve, by the rows of all of them together; and what is left of one."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.allocations import Allocations
from tfprof.model.providers import AllocationSource, Records
from tfprof.wire.schema import Proto


@frozen_dataclass
class JoinedRecords:
    """`first` are the rows with which the traces begin."""

    parts: tuple[Records | None, ...]
    first: tuple[int, ...]

    def __call__(self, row: int) -> Proto | None:
        part = bisect_right(self.first, row) - 1
        source = self.parts[part]
        return None if source is None else source(row - self.first[part])


@frozen_dataclass
class JoinedAllocations:
    """Those traces that know of any, each with the row that it begins with."""

    parts: tuple[tuple[AllocationSource, int], ...]

    def __call__(self) -> Allocations:
        return Allocations.joined(
            [source() for source, _ in self.parts], [first for _, first in self.parts]
        )


@frozen_dataclass(eq=False)
class ChosenRecords:
    """Of some rows of a trace alone, which are counted through."""

    source: Records
    rows: npt.NDArray[np.int64]

    def __call__(self, row: int) -> Proto | None:
        return self.source(int(self.rows[row]))


@frozen_dataclass(eq=False)
class ChosenAllocations:
    """The same of what executions took; `rows` rise."""

    source: AllocationSource
    rows: npt.NDArray[np.int64]

    def __call__(self) -> Allocations:
        notes = self.source()
        mine = np.flatnonzero(np.isin(notes.execution, self.rows))
        return Allocations(
            np.searchsorted(self.rows, notes.execution[mine]),
            notes.allocator.at(mine),
            notes.micros[mine],
            notes.bytes[mine],
        )
