"""The shapes of the four views: a tree of costs, and a list of costs by op type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from tfprof.frozen_dataclass import frozen_dataclass

if TYPE_CHECKING:
    from tfprof.results.trees import CostRows, Costs, OpCostRow


@frozen_dataclass
class CostTreeView:
    """`style` is early, late or original: what is printed around the same numbers."""

    rows: CostRows
    select: frozenset[str]
    style: str = "original"
    of_code: bool = False


@frozen_dataclass
class OpCostView:
    rows: Sequence[OpCostRow]
    root_total: Costs
    select: frozenset[str]
    style: str = "original"
    empty_graph: bool = False
    unknown: Mapping[str, str] = field(default_factory=dict)
