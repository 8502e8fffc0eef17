"""A picture of curves: what `tfprof draw` draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tfprof.views.shapes import Series


@dataclass(frozen=True, slots=True)
class Limit:
    """A level to stay below: what to say about it, and the last point where the curve does."""

    value: float
    text: str
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    subtitle: str
    across: str  # what the points are
    up: str  # what the values are
    series: Series
    limit: Limit | None = None
    notes: Sequence[str] = ()
