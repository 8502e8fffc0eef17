"""CSV: the tables of a report, one after the other, with raw numbers.

People open it in spreadsheets, which take text that begins like a formula for one.
"""

from __future__ import annotations

import csv
import io

from tfprof.printable import printable
from tfprof.renderers.data.cost_table import as_table
from tfprof.renderers.data.raw import raw
from tfprof.views.shapes import Facts, Notes, Report, Series, Value

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def render(report: Report) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    tables = [
        as_table(part) for part in report.parts if not isinstance(part, Facts | Notes | Series)
    ]
    for number, table in enumerate(tables):
        if number:
            writer.writerow([])
        writer.writerow([column.key for column in table.columns])
        writer.writerows([_cell(value) for value in row] for row in table.rows)
    if not tables:
        writer.writerow(["fact", "value"])
        for part in report.parts:
            rows = part.rows if isinstance(part, Facts) else []
            writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: Value) -> str | int | float:
    """A number as it is; text with an apostrophe, where it would be taken for a formula."""
    plain = raw(value)
    if plain is None:
        return ""
    if not isinstance(plain, str):
        return plain
    return f"'{printable(plain)}" if plain.startswith(_FORMULAS) else printable(plain)
