"""Stacked bars as text: a line each; where they are too many, columns and the most telling bars."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from tfprof.model import units
from tfprof.renderers.drawing.category_colours import LOOKS
from tfprof.renderers.drawing.ceiling import ceiling
from tfprof.renderers.drawing.cut import middle_cut
from tfprof.renderers.drawing.stacks import LONGER, lengths
from tfprof.renderers.text.bar_columns import column_lines
from tfprof.renderers.text.lines import Line
from tfprof.views.shapes import Bar, Bars

_MOST_LINES = 16
_SLOWEST = 3
_LABEL_SHARE = 3
_GAP = "  "
_MARK = "└ "


def bar_lines(bars: Bars, width: int) -> Iterator[Line]:
    """The title, the bars, what letters and colours mean."""
    if len(bars.rows) <= _MOST_LINES:
        yield [(bars.title, "heading")]
        drawn = bars.rows
    else:
        yield from column_lines(bars, width)
        drawn = _telling(bars.rows)
        yield []
        yield [(f"The median {bars.each} and the slowest", "heading")]
    yield from _bars(bars, drawn, width)
    yield []
    yield from _legend(bars, width)


def _telling(rows: Sequence[Bar]) -> list[Bar]:
    """The one in the middle, and the longest of those there is something to say about."""
    ordered = sorted(rows, key=lambda row: row.total)
    noted = [row for row in reversed(ordered) if row.note] or [ordered[-1]]
    return [ordered[(len(ordered) - 1) // 2], *noted[:_SLOWEST]]


def _bars(bars: Bars, rows: Sequence[Bar], width: int) -> Iterator[Line]:
    labels = [middle_cut(row.label, width // _LABEL_SHARE) for row in rows]
    totals = [units.duration(row.total) for row in rows]
    label_width, total_width = max(map(len, labels)), max(map(len, totals))
    before = label_width + total_width + 2 * len(_GAP)
    highest = ceiling([row.total for row in rows])
    for row, label, total in zip(rows, labels, totals, strict=True):
        head = f"{label:>{label_width}}{_GAP}{total:>{total_width}}{_GAP}"
        yield [(head, ""), *_bar(bars, row, highest, width - before)]
        yield from _note(row.note, before, width)


def _bar(bars: Bars, row: Bar, highest: float, room: int) -> Line:
    is_longer = row.total > highest
    cells = lengths(row.parts, max(highest, row.total), room - is_longer)
    line = [
        (LOOKS[kind.key].fill * length, kind.key)
        for kind, length in zip(bars.kinds, cells, strict=True)
        if length
    ]
    return [*line, *([(LONGER, "heading")] if is_longer else [])]


def _note(note: str, indent: int, width: int) -> Iterator[Line]:
    for number, line in enumerate(textwrap.wrap(note, width - indent - len(_MARK))):
        mark = "  " if number else _MARK
        yield [(" " * indent + mark + line, "quiet")]


def _legend(bars: Bars, width: int) -> Iterator[Line]:
    """A kind that takes nothing is not named."""
    line: Line = []
    used = 0
    for at, kind in enumerate(bars.kinds):
        if not any(row.parts[at] for row in bars.rows):
            continue
        words = f" {kind.label}"
        if line and used + len(_GAP) + 1 + len(words) > width:
            yield line
            line, used = [], 0
        gap = _GAP if line else ""
        line += [(gap, ""), (LOOKS[kind.key].fill, kind.key), (words, "")]
        used += len(gap) + 1 + len(words)
    if line:
        yield line
    if ceiling([row.total for row in bars.rows]) < max(row.total for row in bars.rows):
        longer = f"{LONGER} takes longer than is drawn; its parts are in proportion"
        for text in textwrap.wrap(longer, width):
            yield [(text, "quiet")]
