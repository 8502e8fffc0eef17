"""The first table of an answer as a Parquet file: numbers stay numbers, names are as they are."""

from __future__ import annotations

import io

from tfprof.errors import ExtraMissing, InputMissing
from tfprof.renderers.data.cost_table import main_table
from tfprof.renderers.data.raw import raw
from tfprof.views.shapes import Report, Value


def render(report: Report) -> bytes:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ExtraMissing(
            "Parquet files need pyarrow", hint="pip install 'tfprof[parquet]'"
        ) from None
    table = main_table(report)
    if table is None:
        raise InputMissing("this answer has no table", where=report.title)
    columns = {
        column.key: pa.array(_alike([row[at] for row in table.rows]))
        for at, column in enumerate(table.columns)
    }
    out = io.BytesIO()
    parquet.write_table(pa.table(columns), out)
    return out.getvalue()


def _alike(values: list[Value]) -> list[str | int | float | None]:
    """A column has one type: of numbers and formulas, all are text."""
    found = [raw(value) for value in values]
    if any(isinstance(one, str) for one in found):
        return [None if one is None else _text(one) for one in found]
    if any(isinstance(one, float) for one in found) or any(_is_huge(one) for one in found):
        return [None if one is None else float(one) for one in found]
    return found


def _is_huge(value: str | float | None) -> bool:
    """Beyond what a column of whole numbers holds."""
    return isinstance(value, int) and not -(1 << 63) <= value < 1 << 63


def _text(value: str | float) -> str:
    # half of a character is in no encoding
    return str(value).encode(errors="backslashreplace").decode()
