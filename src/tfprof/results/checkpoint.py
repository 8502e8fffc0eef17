"""What a checkpoint holds, and what its values are."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import INSIDE, ROW_KEY, Key


@frozen_dataclass
class StoredRow:
    """`name` is for people, `key` is the file's."""

    name: str
    key: Annotated[str, ROW_KEY]
    dtype: str
    shape: tuple[int, ...]
    bytes: int
    role: str | None


@frozen_dataclass
class Bin:
    start: Annotated[float, ROW_KEY, Key("from")]
    to: float
    count: int


@frozen_dataclass
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


@frozen_dataclass
class MeasuredRow(StoredRow):
    """With its values, which strings have none of."""

    statistics: ValueStatistics | None


@frozen_dataclass
class CheckpointResult:
    """`held`: how many variables of the graph it has, where there is a graph."""

    path: str
    version: str
    shards: int
    tensors: tuple[StoredRow, ...]
    held: Annotated[int | None, INSIDE]
