"""What changed between models or runs: what is exact, and times with what is known of noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from tfprof.model.quantity import Quantity
from tfprof.results.categories import Category
from tfprof.results.fields import INSIDE, ROW_KEY

# what a metric counts is the end of its name, as everywhere in JSON
Told = float | str | None


class RowKind(Enum):
    """What a row is about; the values are the keys of JSON."""

    TOTAL = "total"
    STEP = "step"
    PHASE = "phase"
    LAYER = "layer"
    OP = "op"
    TENSOR = "tensor"

    @property
    def is_timed(self) -> bool:
        """Whether rows of it can be times of steps."""
        return self in (RowKind.STEP, RowKind.PHASE, RowKind.LAYER, RowKind.OP)


@dataclass(frozen=True, slots=True)
class DiffRow:
    """`before` and `after` are a number, a text or a formula; None where a side has none.

    `change` is after less before, maybe a formula, `interval` what it lies in 95 times of 100.
    What is exact is `significant` if it changed at all; None is that nothing can be said, and
    `why` not.
    """

    kind: Annotated[RowKind, ROW_KEY]
    name: Annotated[str, ROW_KEY]
    metric: Annotated[str, ROW_KEY]
    before: Told
    after: Told
    change: float | str | None
    interval: tuple[float, float] | None = None
    significant: bool | None = True
    why: str | None = None

    @property
    def is_time(self) -> bool:
        return self.metric.endswith("_us")

    @property
    def relative(self) -> float | None:
        """By how much of what it was."""
        if not isinstance(self.change, (int, float)) or not isinstance(self.before, (int, float)):
            return None
        return self.change / self.before if self.before else None

    @property
    def size(self) -> float:
        """How much changed; of a formula, nobody knows."""
        return abs(self.change) if isinstance(self.change, (int, float)) else 0.0


@dataclass(frozen=True, slots=True)
class SideRow:
    """One of the sides: what it is at a glance. `captures` were measured, with `steps` in all."""

    name: Annotated[str, ROW_KEY]
    captures: int
    steps: int
    step_us: Quantity
    input_bound: Quantity
    params: Quantity
    flops: Quantity
    peak_bytes: Quantity
    breakdown: Annotated[Mapping[Category, float], INSIDE]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Whether the sides are alike in something that decides what can be compared.

    `same` is None where one of them does not tell.
    """

    what: Annotated[str, ROW_KEY]
    before: str | None
    after: str | None
    same: bool | None


@dataclass(frozen=True, slots=True)
class DiffSummary:
    """`same_work` is whether both do the same, None where that is not known.

    `because` is what a change of the step time is made of, the most first: category to its part
    in microseconds. `noise` says where the noise between runs is taken from.
    """

    same_work: bool | None
    step_before_us: float | None
    step_after_us: float | None
    step_significant: bool | None
    because: Mapping[str, float]
    noise: str | None
    changed: int


@dataclass(frozen=True, slots=True)
class DiffResult:
    """Of the first side and the last; `sides` has all of them, in order."""

    summary: DiffSummary
    sides: tuple[SideRow, ...]
    comparable: tuple[Likeness, ...]
    rows: tuple[DiffRow, ...]
