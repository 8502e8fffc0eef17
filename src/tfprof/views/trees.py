"""The shapes of the four views: a tree of costs, and a list of costs by op type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tfprof.results.trees import CostRows, Costs, OpCostRow


@dataclass(frozen=True, slots=True)
class CostTreeView:
    """`style` is early, late or original: what is printed around the same numbers."""

    rows: CostRows
    select: frozenset[str]
    style: str = "original"
    of_code: bool = False


@dataclass(frozen=True, slots=True)
class OpCostView:
    rows: Sequence[OpCostRow]
    root_total: Costs
    select: frozenset[str]
    style: str = "original"
    empty_graph: bool = False
    unknown: Mapping[str, str] = field(default_factory=dict)
