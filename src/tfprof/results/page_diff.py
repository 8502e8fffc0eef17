"""A comparison on the page: sides beside each other, and rows by effect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.categories import Category
from tfprof.results.diff import DiffRow, SideRow
from tfprof.results.fields import Micros


@frozen_dataclass
class SideShown:
    """`short` is its name as far as it tells the sides apart; `breakdown` is an average step."""

    short: str
    side: SideRow
    breakdown: Annotated[Mapping[Category, float], Micros("breakdown")]


@frozen_dataclass
class EffectRow:
    """`unit` is how its numbers are written; `relative` is by how much of what it was."""

    row: DiffRow
    unit: str
    relative: float | None
