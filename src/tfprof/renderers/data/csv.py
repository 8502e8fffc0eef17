"""CSV: the tables of a report, one after the other, with raw numbers."""

from __future__ import annotations

import csv
import io

from tfprof.renderers.data.cost_table import as_table
from tfprof.renderers.data.raw import raw
from tfprof.views.shapes import Facts, Notes, Report, Series


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
        rows = ([raw(value) for value in row] for row in table.rows)
        writer.writerows(["" if value is None else value for value in row] for row in rows)
    if not tables:
        writer.writerow(["fact", "value"])
        for part in report.parts:
            writer.writerows(part.rows if isinstance(part, Facts) else [])
    return out.getvalue()
