"""Maps of cells, folded to what can be seen: the worst rows, the others as one, few columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, median

from tfprof.model.units import plural
from tfprof.renderers.drawing.stacks import spans
from tfprof.views.shapes import HeatMap, HeatRow

Cells = Sequence[float | None]


def folded_rows(heat: HeatMap, show: int | None = None) -> list[HeatRow]:
    """The first of them; what is left as the median of each column."""
    most = heat.show if show is None else show
    if len(heat.rows) <= most + 1:
        return list(heat.rows)
    rest = heat.rows[most:]
    middle = [_median(cells) for cells in zip(*(row.values for row in rest), strict=True)]
    return [*heat.rows[:most], HeatRow(f"{len(rest):,} others", middle)]


def folded_columns(cells: Cells, groups: Sequence[range]) -> list[float | None]:
    """Of neighbours the worst."""
    return [_worst(cells[at] for at in group) for group in groups]


def groups_of(heat: HeatMap, most: int) -> list[range]:
    return spans(len(heat.labels), most) if heat.labels else []


def row_mean(cells: Cells) -> float | None:
    known = [value for value in cells if value is not None]
    return fmean(known) if known else None


def what_was_folded(heat: HeatMap, show: int, groups: Sequence[range]) -> str:
    """And what is not there; empty where everything is."""
    said = []
    if len(heat.rows) > show + 1:
        rest = len(heat.rows) - show
        said.append(
            f"the {show:,} slowest of {plural(len(heat.rows), heat.row)}; "
            f"the other {rest:,} are one line, the median of each {heat.column}"
        )
    together = max(map(len, groups), default=1)
    if together > 1:
        said.append(f"{together:,} {heat.column}s a cell, the slowest of them")
    if any(value is None for row in heat.rows for value in row.values):
        said.append(f"blank where there is no such {heat.column}, or its end is not known")
    return "; ".join(said)


def _median(cells: Iterable[float | None]) -> float | None:
    known = [value for value in cells if value is not None]
    return median(known) if known else None


def _worst(cells: Iterable[float | None]) -> float | None:
    return max((value for value in cells if value is not None), default=None)
