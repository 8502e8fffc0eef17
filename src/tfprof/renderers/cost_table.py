"""The four views as plain tables, for formats that have no trees."""

from __future__ import annotations

from tfprof.views import costs as c
from tfprof.views.costs import CostTreeView, OpCostView
from tfprof.views.shapes import Bars, Column, Lanes, Table, Unit, Value

_COSTS = (
    ("params", c.PARAMS, Unit.COUNT), ("float_ops", c.FLOAT_OPS, Unit.COUNT),
    ("bytes", c.BYTES, Unit.BYTES), ("peak_bytes", c.PEAK, Unit.BYTES),
    ("residual_bytes", c.RESIDUAL, Unit.BYTES), ("output_bytes", c.OUTPUT, Unit.BYTES),
    ("micros", c.MICROS, Unit.MICROS), ("accelerator_micros", c.ACCELERATOR, Unit.MICROS),
    ("cpu_micros", c.CPU, Unit.MICROS), ("occurrence", c.RUNS, Unit.COUNT),
)  # fmt: skip


def as_table(part: Table | Lanes | Bars | CostTreeView | OpCostView) -> Table:
    """Own and total of every selected metric, a column each."""
    if isinstance(part, Table):
        return part
    if isinstance(part, Lanes | Bars):
        return part.table
    chosen = [cost for cost in _COSTS if cost[0] in part.select]
    both = [
        Column(f"{side}_{key}", f"{side} {key}", unit)
        for key, _, unit in chosen
        for side in ("self", "total")
    ]
    names: list[list[Value]]
    if isinstance(part, OpCostView):
        head = [Column("op", "op")]
        names = [[row.op] for row in part.rows]
    else:
        head = [Column("name", "node"), Column("depth", "depth", Unit.COUNT)]
        names = [[row.name, row.indent] for row in part.rows]
    numbers: list[list[Value]] = [
        [side[at] for _, at, _ in chosen for side in (row.own, row.total)] for row in part.rows
    ]
    rows = [name + number for name, number in zip(names, numbers, strict=True)]
    return Table([*head, *both], rows)
