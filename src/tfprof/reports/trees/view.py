"""Costs as the shapes that renderers draw."""

from __future__ import annotations

from tfprof.reports.trees.answer import Result
from tfprof.results.answered import Answered
from tfprof.results.trees import OpCostsResult
from tfprof.views.shapes import Report
from tfprof.views.trees import CostTreeView, OpCostView


def view(answered: Answered[Result]) -> Report:
    """Nothing stands above it: the text is the original's."""
    return Report("", "", [shape_of(answered.data)])


def shape_of(result: Result) -> CostTreeView | OpCostView:
    if isinstance(result, OpCostsResult):
        return OpCostView(
            result.rows,
            result.total,
            result.select,
            result.style,
            result.empty_graph,
            result.unknown,
        )
    return CostTreeView(result.nodes, result.select, result.style, result.of_code)
