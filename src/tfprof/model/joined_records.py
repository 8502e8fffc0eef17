"""What several traces serve, by the rows of all of them together."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from tfprof.model.allocations import Allocations
from tfprof.model.providers import AllocationSource, Records
from tfprof.wire.schema import Proto


@dataclass(frozen=True, slots=True)
class JoinedRecords:
    """`first` are the rows with which the traces begin."""

    parts: tuple[Records | None, ...]
    first: tuple[int, ...]

    def __call__(self, row: int) -> Proto | None:
        part = bisect_right(self.first, row) - 1
        source = self.parts[part]
        return None if source is None else source(row - self.first[part])


@dataclass(frozen=True, slots=True)
class JoinedAllocations:
    """Those traces that know of any, each with the row that it begins with."""

    parts: tuple[tuple[AllocationSource, int], ...]

    def __call__(self) -> Allocations:
        return Allocations.joined(
            [source() for source, _ in self.parts], [first for _, first in self.parts]
        )
