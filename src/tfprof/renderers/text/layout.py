"""A report as lines of styled text for a given width. Colour is the terminal's business."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import assert_never

from tfprof.renderers.drawing.cut import cut_apart, head_cut, middle_cut, tail_cut
from tfprof.renderers.text.cells import cell
from tfprof.renderers.text.fit import fitted
from tfprof.renderers.text.fold import folded, shown_rows
from tfprof.renderers.text.footnotes import footnotes
from tfprof.renderers.text.lines import Line
from tfprof.renderers.text.wrapped import GAP, fact_lines, note_lines
from tfprof.views.shapes import (
    Bars,
    Facts,
    HeatMap,
    Lanes,
    Notes,
    Part,
    Report,
    Series,
    Table,
    Unit,
)
from tfprof.views.trees import CostTreeView, OpCostView

_GAP = " " * GAP
_NARROWEST = 12


def report_lines(report: Report, width: int) -> Iterator[Line]:
    report = fitted(report)
    if report.title:
        yield [(middle_cut(report.title, width), "title")]
    for line in textwrap.wrap(report.subtitle, width):
        yield [(line, "quiet")]
    for number, part in enumerate(report.parts):
        if number or report.title:
            yield []
        yield from _part_lines(part, width)


def _part_lines(part: Part, width: int) -> Iterator[Line]:
    match part:
        case Facts():
            for label, text in fact_lines(part, width):
                yield [(label, "label"), (text, "")]
        case Table():
            yield from _table_lines(part, width)
        case Notes():
            yield from ([(line, "quiet")] for line in note_lines(part, width))
        case Series():
            from tfprof.renderers.text.curves import plot_lines

            yield from ([(line, "")] for line in plot_lines(part, width))
        case Lanes():
            from tfprof.renderers.text.lanes import lane_lines

            first, *rest = lane_lines(part, width)
            yield [(first, "heading")]
            yield from ([(line, "")] for line in rest)
        case Bars():
            from tfprof.renderers.text.bars import bar_lines

            yield from bar_lines(part, width)
        case HeatMap():
            from tfprof.renderers.text.heat import heat_lines

            yield from heat_lines(part, width)
        case CostTreeView() | OpCostView():
            from tfprof.renderers.text.cost_views import op_text, tree_text

            # the original's layout is for scripts, too: never cut, never wrapped
            text = op_text(part) if isinstance(part, OpCostView) else tree_text(part)
            yield [(text.removesuffix("\n"), "")]
        case _:
            assert_never(part)


def _table_lines(table: Table, width: int) -> Iterator[Line]:
    texts = [
        [cell(value, column.unit) for value, column in zip(row, table.columns, strict=True)]
        for row in shown_rows(table)
    ]
    titles = [column.title for column in table.columns]
    if table.title:
        titles[0] = table.title
    kinds = [column.unit for column in table.columns]
    moments = [at for at, kind in enumerate(kinds) if kind is Unit.MOMENT]
    for at in moments:
        _without_year(texts, at)
    widths = _column_widths(titles, texts, None if table.wide else width, moments)
    for at in (at for at, column in enumerate(table.columns) if column.tells_rows):
        _cut_names(texts, at, widths[at])
    yield [(_row(titles, widths, kinds), "heading")]
    for row in texts:
        yield [(_row(row, widths, kinds), "")]
    rest = folded(table)
    if rest:
        yield [(middle_cut(rest, width), "quiet")]
    for note in footnotes(table):
        yield from (
            [(line, "quiet")] for line in textwrap.wrap(note, width, subsequent_indent="  ")
        )


def _without_year(texts: list[list[str]], at: int) -> None:
    """A column of moments of one year needs none: 11-17 20:48."""
    known = [row for row in texts if row[at][4:5] == "-"]
    if len({row[at][:4] for row in known}) == 1:
        for row in known:
            row[at] = row[at][5:]


def _cut_names(texts: list[list[str]], at: int, width: int) -> None:
    """Rows with names that differ look different."""
    names = cut_apart([row[at] for row in texts], width)
    for row, name in zip(texts, names, strict=True):
        row[at] = name


def _column_widths(
    titles: list[str], texts: list[list[str]], width: int | None, fixed: Sequence[int] = ()
) -> list[int]:
    """Each column as wide as its widest cell; the widest text gives way where that is too much."""
    widths = [max([len(title), *(len(row[i]) for row in texts)]) for i, title in enumerate(titles)]
    over = 0 if width is None else sum(widths) + len(_GAP) * (len(widths) - 1) - width
    giving = [at for at in range(len(widths)) if at not in fixed]
    while over > 0 and giving:
        widest = max(giving, key=widths.__getitem__)
        rest = sorted(widths[at] for at in giving)[-2] if len(giving) > 1 else 0
        taken = min(over, max(1, widths[widest] - max(rest, _NARROWEST)))
        if widths[widest] - taken < 1:
            break
        widths[widest] -= taken
        over -= taken
    return widths


def _row(cells: list[str], widths: list[int], kinds: list[Unit]) -> str:
    padded = []
    for text, width, kind in zip(cells, widths, kinds, strict=True):
        cut = tail_cut(text, width) if kind is Unit.PROSE else head_cut(text, width)
        padded.append(cut.rjust(width) if kind.is_number else cut.ljust(width))
    return _GAP.join(padded).rstrip()
