"""What marked cells of a table mean: below it, once for each reason."""

from __future__ import annotations

from tfprof.model.quantity import Kind, Quantity
from tfprof.printable import printable
from tfprof.renderers.text.fold import shown_rows
from tfprof.views.shapes import Table

_MOST = 3


def footnotes(table: Table) -> list[str]:
    """Why numbers are not known, and what is missing of those that are at least so much."""
    cells = (cell for row in shown_rows(table) for cell in row)
    marked = (cell for cell in cells if isinstance(cell, Quantity) and _is_explained(cell))
    said = list(dict.fromkeys(printable(f"{cell.kind.mark} {cell.reason}") for cell in marked))
    return said if len(said) <= _MOST else [*said[: _MOST - 1], "? and other reasons: --json"]


def _is_explained(cell: Quantity) -> bool:
    return bool(cell.reason) and cell.kind in (Kind.UNKNOWN, Kind.AT_LEAST)
