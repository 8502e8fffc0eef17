"""What a screen shows of many rows, and how the rest is told."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.model import units
from tfprof.model.quantity import Quantity
from tfprof.views.shapes import Table, Value


def shown_rows(table: Table) -> Sequence[Sequence[Value]]:
    return table.rows if table.fold is None else table.rows[: table.fold.show]


def folded(table: Table) -> str:
    """What is left out, and its share of the whole; nothing if nothing is."""
    fold = table.fold
    rest = table.rows[fold.show :] if fold is not None else ()
    if fold is None or not rest:
        return ""
    share = ""
    if fold.column:
        place = [column.key for column in table.columns].index(fold.column)
        share = units.share(sum(_number(row[place]) for row in rest), fold.whole)
    return more(len(rest), share) + fold.then


def more(count: int, share: str = "") -> str:
    return f"… {count:,} more{f' ({share})' if share else ''}"


def _number(value: Value) -> float:
    """What is not known adds nothing to a share."""
    number = value.number if isinstance(value, Quantity) else value
    return number if isinstance(number, int | float) else 0
