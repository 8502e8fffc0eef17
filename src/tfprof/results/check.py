"""Budgets: what was measured, what is allowed, and whether it was kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tfprof.model.quantity import Quantity
from tfprof.results.fields import IF_KNOWN, INSIDE, ROW_KEY


@dataclass(frozen=True, slots=True)
class Contributor:
    """Something that makes up much of what was measured."""

    name: Annotated[str, ROW_KEY]
    value: float


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class CheckResult:
    """`ok`: all were kept."""

    budgets: tuple[BudgetRow, ...]
    ok: bool
    baseline: Annotated[str | None, IF_KNOWN] = None
