"""An answer in a notebook: tables with bars for shares, folded rows behind a click, no script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from tfprof.model.quantity import Quantity
from tfprof.renderers.text.cells import cell
from tfprof.renderers.text.cost_views import op_text, tree_text
from tfprof.renderers.text.fold import folded, shown_rows
from tfprof.renderers.text.footnotes import footnotes
from tfprof.renderers.text.heat import heat_lines
from tfprof.renderers.text.html_drawn import bars, curves, lanes
from tfprof.renderers.text.html_style import style
from tfprof.renderers.text.html_words import safe, tag, width
from tfprof.renderers.text.readable import readable
from tfprof.views.shapes import (
    Bars,
    Column,
    Facts,
    Fold,
    HeatMap,
    Lanes,
    Notes,
    Part,
    Report,
    Series,
    Table,
    Unit,
    Value,
)
from tfprof.views.trees import CostTreeView, OpCostView

# a notebook keeps its outputs in the file: what is behind a click is not without end either
_MOST_FOLDED = 500
_MOST_LINES = 40
_WIDE = 100
_MOST_ROWS, _FIRST_ROWS = 30, 10
_IN_FULL = "`to_pandas()` and `to_csv()` have all of them"
_EXACT = {Unit.BYTES: "bytes", Unit.MICROS: "µs", Unit.SCALED: "", Unit.COUNT: ""}


def render(report: Report) -> str:
    report = readable(report)
    parts = [tag("style", style())]
    if report.title:
        parts.append(tag("div", safe(report.title), class_="t"))
    if report.subtitle:
        parts.append(tag("div", safe(report.subtitle), class_="s"))
    for part in report.parts:
        parts += _part(part)
    return tag("div", parts, class_="tfprof")


def _part(part: Part) -> Iterator[str]:
    match part:
        case Facts():
            yield tag("table", tag("tbody", _facts(part)), class_="f")
        case Table():
            yield from _table(part) if part.on_screen else _closed(part)
        case Notes():
            lines = part.lines[: part.show]
            yield tag("ul", (tag("li", safe(line)) for line in lines), class_="q")
        case Series():
            yield from curves(part)
        case Lanes():
            yield from lanes(part)
        case Bars():
            yield from bars(part)
        case HeatMap():
            yield tag(
                "pre",
                safe_lines(["".join(text for text, _ in line) for line in heat_lines(part, _WIDE)]),
            )
        case CostTreeView() | OpCostView():
            yield from _lines(op_text(part) if isinstance(part, OpCostView) else tree_text(part))
        case _:
            assert_never(part)


def _facts(facts: Facts) -> Iterator[str]:
    """A label stands only where it is new."""
    previous = ""
    for label, text in facts.rows:
        shown = "" if label == previous else safe(label)
        yield tag("tr", [tag("th", shown, scope="row"), tag("td", safe(text))])
        previous = label


def _opened(table: Table) -> Table:
    """With a number of rows to begin with: some tables leave that to a screen, others show all."""
    if table.fold is None:
        many = len(table.rows) > _MOST_ROWS
        return replace(table, fold=Fold(_MOST_ROWS)) if many else table
    return table if table.fold.show else replace(table, fold=replace(table.fold, show=_FIRST_ROWS))


def _table(table: Table) -> Iterator[str]:
    table = _opened(table)
    yield _grid(table, shown_rows(table), table.title)
    rest = folded(table)
    if rest:
        yield tag("details", [tag("summary", safe(rest)), *_rest(table)])
    for note in footnotes(table):
        yield tag("div", safe(note), class_="q")


def _closed(table: Table) -> Iterator[str]:
    """One of many that are alike."""
    title = tag("summary", safe(table.title or "more"))
    yield tag("details", [title, *_table(replace(table, title=""))])


def _rest(table: Table) -> Iterator[str]:
    rows = table.rows[len(shown_rows(table)) :]
    yield _grid(table, rows[:_MOST_FOLDED], "")
    if len(rows) > _MOST_FOLDED:
        yield tag("div", safe(f"… {len(rows) - _MOST_FOLDED:,} more: {_IN_FULL}"), class_="q")


def _grid(table: Table, rows: Sequence[Sequence[Value]], title: str) -> str:
    barred = [_has_bars(table, place) for place in range(len(table.columns))]
    heads = (
        tag("th", safe(column.title), scope="col", class_="n" if column.unit.is_number else "")
        for column in table.columns
    )
    lines = (tag("tr", map(_cell, row, table.columns, barred)) for row in rows)
    named = title.casefold() not in ("", table.columns[0].title.casefold())
    caption = [tag("caption", safe(title))] if named else []
    return tag("table", [*caption, tag("thead", tag("tr", heads)), tag("tbody", lines)])


def _has_bars(table: Table, place: int) -> bool:
    """Shares of one whole; a change may be negative, or many times what it was."""
    if table.columns[place].unit is not Unit.SHARE:
        return False
    numbers = [one for row in table.rows if (one := _number(row[place])) is not None]
    return len(numbers) > 0 and all(0 <= one <= 1 for one in numbers)


def _number(value: Value) -> float | None:
    found = value.number if isinstance(value, Quantity) else value
    return found if isinstance(found, int | float) else None


def _cell(value: Value, column: Column, barred: bool) -> str:  # noqa: FBT001  (of map)
    text = safe(cell(value, column.unit))
    number = _number(value)
    if not column.unit.is_number:
        return tag("td", text)
    bar = tag("span", class_="b", style=width(number)) if barred and number is not None else ""
    exact = _exact(number, column.unit)
    return tag(
        "td", text + bar, class_="n h" if barred else "n", **({"title": exact} if exact else {})
    )


def _exact(number: float | None, unit: Unit) -> str:
    """All digits, for whoever points at it; a text has four."""
    if number is None or unit not in _EXACT:
        return ""
    whole = f"{number:,.3f}".rstrip("0").rstrip(".")
    return f"{whole} {_EXACT[unit]}".strip()


def _lines(text: str) -> Iterator[str]:
    """The original's layout; what is longer than a screen behind a click."""
    lines = text.rstrip("\n").split("\n")
    yield tag("pre", safe_lines(lines[:_MOST_LINES]))
    rest = lines[_MOST_LINES:]
    if rest:
        shown = rest[: _MOST_FOLDED * 4]
        more = [tag("pre", safe_lines(shown))]
        if len(rest) > len(shown):
            more.append(tag("div", safe(f"… {len(rest) - len(shown):,} more: {_IN_FULL}")))
        yield tag("details", [tag("summary", safe(f"… {len(rest):,} more")), *more])


def safe_lines(lines: Sequence[str]) -> str:
    return "\n".join(map(safe, lines))
