"""Settings as a table: what each is, and who says so."""

from __future__ import annotations

from tfprof.results.answered import Answered
from tfprof.results.config import ConfigResult
from tfprof.views.shapes import Column, Facts, Notes, Report, Table, without_empty

_COLUMNS = [
    Column("key", "setting"),
    Column("value", "value"),
    Column("source", "from"),
    Column("variable", "variable"),
]


def view(answered: Answered[ConfigResult]) -> Report:
    found = answered.data
    rows = [[one.key, one.value or "", one.source, one.variable] for one in found.values]
    said = Facts([("File", found.file or "no pyproject.toml with [tool.tfprof]")])
    parts = without_empty([said, Table(_COLUMNS, rows), Notes(answered.notes)])
    return Report(*answered.subject.lines, parts)
