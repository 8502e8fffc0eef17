"""A map of cells as text: a line a row, a letter a cell, fuller the further from what is usual."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby

from tfprof.renderers.drawing.cut import middle_cut
from tfprof.renderers.drawing.heat import (
    Cells,
    folded_columns,
    folded_rows,
    groups_of,
    row_mean,
    what_was_folded,
)
from tfprof.renderers.text.lines import Line
from tfprof.views.shapes import HeatMap

# from so many times what is usual on; the last is what is left
_LEVELS = ((1.5, "█"), (1.25, "▓"), (1.1, "▒"), (1.05, "░"), (0.9, "·"), (0.0, "-"))
_NOTHING = " "
_MEANING = "· as usual ({})  ░ from 5%  ▒ 10%  ▓ 25%  █ 50% longer  - 10% shorter"
_LABEL_SHARE = 3
_GAP = "  "
_MEAN = 6
_WIDEST_CELL = 3


def heat_lines(heat: HeatMap, width: int) -> Iterator[Line]:
    rows = folded_rows(heat)
    longest = max((len(row.label) for row in rows), default=0)
    label = min(max(longest, len(heat.row)), width // _LABEL_SHARE)
    room = width - label - _MEAN - 2 * len(_GAP)
    groups = groups_of(heat, room)
    cell = max(1, min(_WIDEST_CELL, room // max(1, len(groups))))
    across = cell * len(groups)
    yield [
        (f"{heat.row.ljust(label)}{_GAP}{_axis(heat, across)}{_GAP}{'mean':>{_MEAN}}", "heading")
    ]
    for row in rows:
        mean = row_mean(row.values)
        said = "" if mean is None else f"{mean:.2f}x"
        yield [
            (middle_cut(row.label, label).ljust(label) + _GAP, ""),
            *_cells(folded_columns(row.values, groups), cell),
            (f"{_GAP}{said:>{_MEAN}}", ""),
        ]
    yield from ([(line, "quiet")] for line in textwrap.wrap(_MEANING.format(heat.usual), width))
    folded = what_was_folded(heat, heat.show, groups)
    yield from ([(line, "quiet")] for line in textwrap.wrap(folded, width) if folded)


def _axis(heat: HeatMap, across: int) -> str:
    """The first label and the last, where there is room for both."""
    first, last = f"{heat.column} {heat.labels[0]}", heat.labels[-1]
    if len(first) + len(last) + 1 > across:
        return middle_cut(f"{heat.column}s", max(1, across)).ljust(across)
    return first + last.rjust(across - len(first))


def _cells(values: Cells, cell: int) -> Iterator[tuple[str, str]]:
    letters = (_letter(value) for value in values)
    for letter, same in groupby(letters):
        yield letter * (cell * len(list(same))), "quiet" if letter in "·-" else ""


def _letter(value: float | None) -> str:
    if value is None:
        return _NOTHING
    return next(letter for least, letter in _LEVELS if value >= least)
