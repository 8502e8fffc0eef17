"""The four views as plain tables, for formats that have no trees."""

from __future__ import annotations

from tfprof.model.metrics import METRICS, OF_BYTES, OF_TIME
from tfprof.views.shapes import Bars, Column, HeatMap, Lanes, Report, Table, Unit, Value
from tfprof.views.trees import CostTreeView, OpCostView

_UNITS = {OF_BYTES: Unit.BYTES, OF_TIME: Unit.MICROS}


def main_table(report: Report) -> Table | None:
    """The first one, whatever shape it is shown in."""
    for part in report.parts:
        if isinstance(part, Table | Lanes | Bars | HeatMap | CostTreeView | OpCostView):
            return as_table(part)
    return None


def as_table(part: Table | Lanes | Bars | HeatMap | CostTreeView | OpCostView) -> Table:
    """Own and total of every selected metric, a column each."""
    if isinstance(part, Table):
        return part
    if isinstance(part, Lanes | Bars | HeatMap):
        return part.table
    chosen = {at: metric for at, metric in enumerate(METRICS) if metric.name in part.select}
    both = [
        Column(f"{side}_{one.name}", f"{side} {one.name}", _UNITS.get(one.unit, Unit.COUNT))
        for one in chosen.values()
        for side in ("self", "total")
    ]
    names: list[list[Value]]
    if isinstance(part, OpCostView):
        head = [Column("op", "op")]
        names = [[row.op] for row in part.rows]
    else:
        head = [Column("name", "node"), Column("depth", "depth", Unit.COUNT)]
        names = [[row.name, row.indent] for row in part.rows]
    unknown = part.unknown if isinstance(part, OpCostView) else part.rows.unknown
    numbers: list[list[Value]] = [
        [
            None if side.lacks(at, unknown) else side[at]
            for at in chosen
            for side in (row.own, row.total)
        ]
        for row in part.rows
    ]
    rows = [name + number for name, number in zip(names, numbers, strict=True)]
    return Table([*head, *both], rows)
