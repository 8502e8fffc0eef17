"""What a checkpoint holds, and what its values are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tfprof.results.fields import INSIDE, ROW_KEY, Key


@dataclass(frozen=True, slots=True)
class StoredRow:
    """`name` is for people, `key` is the file's."""

    name: str
    key: Annotated[str, ROW_KEY]
    dtype: str
    shape: tuple[int, ...]
    bytes: int
    role: str | None


@dataclass(frozen=True, slots=True)
class Bin:
    start: Annotated[float, ROW_KEY, Key("from")]
    to: float
    count: int


@dataclass(frozen=True, slots=True)
class ValueStatistics:
    """Of the finite values, but for the counts."""

    count: int
    min: float | None
    max: float | None
    mean: float | None
    std: float | None
    nan: int
    inf: int
    zeros: int
    histogram: tuple[Bin, ...]

    @property
    def bad(self) -> int:
        return self.nan + self.inf


@dataclass(frozen=True, slots=True)
class MeasuredRow(StoredRow):
    """With its values, which strings have none of."""

    statistics: ValueStatistics | None


@dataclass(frozen=True, slots=True)
class CheckpointResult:
    """`held`: how many variables of the graph it has, where there is a graph."""

    path: str
    version: str
    shards: int
    tensors: tuple[StoredRow, ...]
    held: Annotated[int | None, INSIDE]
