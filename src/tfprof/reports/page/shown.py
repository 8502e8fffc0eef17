"""Finished views as parts of the page: the page shows the words and rows that every format has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan

import numpy as np

from tfprof.model.quantity import Kind, Quantity
from tfprof.results.page_parts import CellWords, FactRow, TableColumn, TablePart
from tfprof.views.shapes import Bars, Column, Facts, Notes, Report, Table, Value

# of one column; rows behind that many different reasons say none
_MOST_WORDS = 65_000
_NOTHING = CellWords("", "", None)
_NOT_KNOWN = CellWords("unknown", "", None)
_PLAIN = (Kind.MEASURED, Kind.DERIVED)


def facts_of(report: Report) -> list[FactRow]:
    parts = (part for part in report.parts if isinstance(part, Facts))
    return [FactRow(label, text) for part in parts for label, text in part.rows]


def notes_of(report: Report) -> list[str]:
    return [line for part in report.parts if isinstance(part, Notes) for line in part.lines]


def tables_of(report: Report) -> list[TablePart]:
    """Also those behind bars, which other formats draw."""
    parts = (
        replace(part.table, title=part.title) if isinstance(part, Bars) else part
        for part in report.parts
    )
    return [table_part(one) for one in parts if isinstance(one, Table)]


def table_part(table: Table) -> TablePart:
    cells = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    made = [_column(column, values) for column, values in zip(table.columns, cells, strict=True)]
    kept = tuple(one for one in made if _tells(one))
    return TablePart(table.title, len(table.rows), kept)


def _tells(column: TableColumn) -> bool:
    """A column of nothing but gaps is left out; one of unknowns tells why."""
    if column.numbers is not None:
        return not np.isnan(column.numbers).all() or any(map(_says_why, column.words))
    return any(column.texts or ())


def _says_why(word: CellWords) -> bool:
    return bool(word.reason or word.text)


def _column(column: Column, values: Sequence[Value]) -> TableColumn:
    unit = column.unit.value
    if not column.unit.is_number:
        texts = tuple("" if one is None else str(one) for one in values)
        return TableColumn(column.key, column.title, unit, texts, None, None, (_NOTHING,))
    words: dict[CellWords, int] = {_NOTHING: 0}
    said = np.zeros(len(values), np.uint16)
    numbers = np.full(len(values), nan)
    for row, value in enumerate(values):
        number, word = _number(value)
        numbers[row] = nan if number is None else number
        if word is not None and len(words) < _MOST_WORDS:
            said[row] = words.setdefault(word, len(words))
    return TableColumn(
        column.key, column.title, unit, None, numbers, said if said.any() else None, tuple(words)
    )


def _number(value: Value) -> tuple[float | None, CellWords | None]:
    if isinstance(value, Quantity):
        if value.number is not None and value.kind in _PLAIN:
            return value.number, None
        text = str(value.value) if value.known and value.number is None else None
        return value.number, CellWords(value.kind.value, value.reason, text)
    if value is None:
        return None, _NOT_KNOWN
    if isinstance(value, str):
        return None, CellWords("", "", value) if value else None
    return value, None
