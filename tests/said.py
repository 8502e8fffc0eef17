"""A partial result for tests of whoever puts them together: who said what."""

from __future__ import annotations

from tfprof.frozen_dataclass import frozen_dataclass


@frozen_dataclass
class Said:
    by: dict[int, object]

    def merge(self, other: Said) -> Said:
        assert not self.by.keys() & other.by.keys(), "nobody is counted twice"
        return Said({**self.by, **other.by})

    @property
    def in_order(self) -> list[object]:
        return [self.by[number] for number in sorted(self.by)]
