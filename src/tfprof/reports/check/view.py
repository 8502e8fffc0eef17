"""The budgets as a table: those that are broken first, with who takes most of each."""

from __future__ import annotations

from tfprof.model import units
from tfprof.model.quantity import Quantity
from tfprof.reports.check.limits import BYTES, MICROS, SHARE
from tfprof.results.answered import Answered
from tfprof.results.check import BudgetRow, CheckResult
from tfprof.views.shapes import (
    Column,
    Facts,
    Notes,
    Part,
    Report,
    Table,
    Unit,
    Value,
    without_empty,
)

_WORDS = {"count": units.count, BYTES: units.size, MICROS: units.duration}


def view(answered: Answered[CheckResult]) -> Report:
    result = answered.data
    rows = sorted(result.budgets, key=lambda row: row.ok)
    columns = [
        Column("metric", "budget"),
        Column("actual", "measured"),
        Column("limit", "limit"),
        Column("verdict", ""),
        Column("why", "why", Unit.PROSE),
    ]
    cells: list[list[Value]] = [
        [row.metric, _actual(row), _limit(row), _verdict(row), row.why or ""] for row in rows
    ]
    parts: list[Part] = [
        Facts([("Budgets", said(result))]),
        Table(columns, cells),
        *(_most(row) for row in rows if row.contributors),
        Notes(list(answered.notes)),
    ]
    return Report(*answered.subject.lines, without_empty(parts))


def said(result: CheckResult) -> str:
    """1 of 3 budgets broken, 1 undecided."""
    broken = sum(not row.ok for row in result.budgets)
    undecided = sum(row.ok and row.undecided for row in result.budgets)
    whole = units.plural(len(result.budgets), "budget")
    words = [f"{broken} of {whole} broken" if broken else f"none of {whole} broken"]
    words += [f"{undecided} undecided"] if undecided else []
    words += [f"compared with {result.baseline}"] if result.baseline else []
    return ", ".join(words)


def _verdict(row: BudgetRow) -> str:
    if not row.ok:
        return "BROKEN"
    return "undecided" if row.undecided else "kept"


def written(value: float | None, unit: str) -> str:
    if value is None:
        return "?"
    if unit == SHARE:
        return units.share(value, 1.0)
    if unit == "count" and value < 1e5:
        return units.exact(value)
    return _WORDS[unit](value)


def _actual(row: BudgetRow) -> str:
    found: Quantity = row.actual
    return found.kind.mark + (written(found.number, row.unit) if found.number is not None else "")


def _limit(row: BudgetRow) -> str:
    number = written(row.limit, row.unit)
    return f"{number} ({row.said})" if row.said.startswith("+") else number


def _most(row: BudgetRow) -> Table:
    unit = {BYTES: Unit.BYTES, MICROS: Unit.MICROS}.get(row.unit, Unit.COUNT)
    columns = [Column("name", f"most of {row.metric}"), Column("value", row.metric, unit)]
    return Table(columns, [[one.name, one.value] for one in row.contributors])
