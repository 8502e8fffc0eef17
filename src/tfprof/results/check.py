"""Budgets: what was measured, what is allowed, and whether it was kept."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.results.fields import IF_KNOWN, INSIDE, ROW_KEY


@frozen_dataclass
class Contributor:
    """Something that makes up much of what was measured."""

    name: Annotated[str, ROW_KEY]
    value: float


@frozen_dataclass
class BudgetRow:
    """`limit` is in the unit of the metric: bytes, microseconds, a share from 0 to 1, a count.

    `said` is the limit as it was given, `baseline` what it is relative to. `undecided`: the steps
    do not tell whether it was kept.
    """

    metric: Annotated[str, ROW_KEY]
    limit: float | None
    actual: Quantity
    ok: bool
    why: str | None
    said: str
    baseline: Annotated[float | None, IF_KNOWN]
    undecided: bool
    contributors: tuple[Contributor, ...]
    unit: Annotated[str, INSIDE]


@frozen_dataclass
class CheckResult:
    """`ok`: all were kept."""

    budgets: tuple[BudgetRow, ...]
    ok: bool
    baseline: Annotated[str | None, IF_KNOWN] = None
