"""What changed between models or runs: what is exact, and times with what is known of noise."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import Dim, ratio, rough
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
    CLASS = "class"
    OP = "op"
    TENSOR = "tensor"

    @property
    def is_timed(self) -> bool:
        """Whether rows of it can be times of steps."""
        return self in (RowKind.STEP, RowKind.PHASE, RowKind.LAYER, RowKind.OP)


@frozen_dataclass
class DiffRow:
    """`before` and `after` are a number, a text or a formula; None where a side has none.

    `change` is after less before, maybe a formula, `interval` what it lies in 95 times of 100.
    What is exact is `significant` if it changed at all; None is that nothing can be said, and
    `why` not. `quantities` are before, after and the change as they were compared.
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
    quantities: Annotated[tuple[Quantity, Quantity, Quantity] | None, INSIDE] = None

    @property
    def is_time(self) -> bool:
        return self.metric.endswith("_us")

    @property
    def relative(self) -> float | None:
        """By how much of what it was; of formulas, where it is the same for all sizes."""
        if isinstance(self.change, str) or isinstance(self.before, str):
            return self._of_formulas()
        if self.change is None or not self.before:
            return None
        return self.change / self.before

    def _of_formulas(self) -> float | None:
        if self.quantities is None:
            return None
        before, _, change = (one.value for one in self.quantities)
        # a fraction is no formula
        if isinstance(before, int | Dim) and isinstance(change, int | Dim):
            return ratio(change, before)
        return None

    @property
    def change_number(self) -> float | None:
        return None if isinstance(self.change, str) else self.change

    @property
    def size(self) -> float:
        """How much changed; formulas with some size for their symbols."""
        change = self.change if self.quantities is None else self.quantities[2].value
        if isinstance(change, Dim):
            return abs(rough(change))
        return abs(change) if isinstance(change, (int, float)) else 0.0


@frozen_dataclass
class SideRow:
    """One of the sides: what it is at a glance. `captures` were measured, with `steps` in all.

    Of several hosts, steps are those of the first, `input_bound` is of the one that waits longest.
    """

    name: Annotated[str, ROW_KEY]
    captures: int
    steps: int
    step_us: Quantity
    input_bound: Quantity
    params: Quantity
    flops: Quantity
    peak_bytes: Quantity
    breakdown: Annotated[Mapping[Category, float], INSIDE]


@frozen_dataclass
class Likeness:
    """Whether the sides are alike in something that decides what can be compared.

    `same` is None where one of them does not tell.
    """

    what: Annotated[str, ROW_KEY]
    before: str | None
    after: str | None
    same: bool | None


@frozen_dataclass
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


@frozen_dataclass
class DiffResult:
    """Of the first side and the last; `sides` has all of them, in order."""

    summary: DiffSummary
    sides: tuple[SideRow, ...]
    comparable: tuple[Likeness, ...]
    rows: tuple[DiffRow, ...]
