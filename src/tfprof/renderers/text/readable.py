"""A report whose words can be shown: what names of a file could do to a screen is spelt out.

Cells of tables and lines of trees are left to whoever writes them: there are many, and few shown.
"""

from __future__ import annotations

from dataclasses import replace

from tfprof.printable import printable
from tfprof.views.shapes import Bars, Facts, HeatMap, Lanes, Notes, Part, Report, Series, Table


def readable(report: Report) -> Report:
    return replace(
        report,
        title=printable(report.title),
        subtitle=printable(report.subtitle),
        parts=[_part(part) for part in report.parts],
    )


def _part(part: Part) -> Part:  # noqa: PLR0911  (one for each kind)
    match part:
        case Facts():
            return Facts([(printable(label), printable(text)) for label, text in part.rows])
        case Notes():
            return replace(part, lines=[printable(line) for line in part.lines])
        case Table():
            return _table(part)
        case Series():
            curves = [replace(curve, name=printable(curve.name)) for curve in part.curves]
            return replace(part, curves=curves)
        case Lanes():
            return _lanes(part)
        case Bars():
            return _bars(part)
        case HeatMap():
            rows = [replace(row, label=printable(row.label)) for row in part.rows]
            return replace(part, rows=rows, usual=printable(part.usual))
    return part


def _table(table: Table) -> Table:
    fold = table.fold and replace(table.fold, then=printable(table.fold.then))
    columns = [replace(column, title=printable(column.title)) for column in table.columns]
    return replace(table, title=printable(table.title), columns=columns, fold=fold)


def _bars(bars: Bars) -> Bars:
    rows = [replace(bar, label=printable(bar.label), note=printable(bar.note)) for bar in bars.rows]
    return replace(bars, title=printable(bars.title), rows=rows)


def _lanes(lanes: Lanes) -> Lanes:
    rows = [
        replace(
            row,
            label=printable(row.label),
            host=printable(row.host),
            named=[(begin, end, printable(name)) for begin, end, name in row.named],
        )
        for row in lanes.rows
    ]
    return replace(lanes, title=printable(lanes.title), rows=rows)
