"""Stacked bars as upright columns of letters, with the mean of some bars in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.model import units
from tfprof.renderers.drawing.category_colours import LOOKS
from tfprof.renderers.drawing.ceiling import ceiling
from tfprof.renderers.drawing.stacks import LONGER, lengths, means, spans
from tfprof.renderers.text.lines import Line, Segment
from tfprof.views.shapes import Bars

_HEIGHT = 10
_WIDEST = 3
_BETWEEN = 10  # letters between the beginnings of labels
_EMPTY: Segment = (" ", "")


def column_lines(bars: Bars, width: int) -> Iterator[Line]:
    totals = [row.total for row in bars.rows]
    label_width = len(units.duration(max(totals)))
    room = width - label_width - 2
    groups = spans(len(totals), room)
    wide = min(_WIDEST, room // len(groups))
    kinds = range(len(bars.kinds))
    layers = [list(means([row.parts[at] for row in bars.rows], groups)) for at in kinds]
    columns = list(zip(*layers, strict=True))
    highest = ceiling([sum(column) for column in columns])
    yield [(_title(bars, groups), "heading")]
    stacks = [_stack(bars, column, highest) for column in columns for _ in range(wide)]
    for row in range(_HEIGHT):
        # a label stands where the top of its row is
        label = units.duration(highest * (_HEIGHT - row) / _HEIGHT) if row % 3 == 0 else ""
        cells = [stack[_HEIGHT - 1 - row] for stack in stacks]
        yield [(f"{label:>{label_width}} │", ""), *_joined(cells)]
    yield [(" " * label_width + " └" + "─" * len(stacks), "")]
    yield [(" " * (label_width + 2) + _axis(bars, groups, wide), "")]


def _title(bars: Bars, groups: Sequence[range]) -> str:
    size = len(groups[0])
    if size == 1:
        return bars.title
    return f"{bars.title}: {units.plural(size, bars.each)} a column, their mean"


def _stack(bars: Bars, column: Sequence[float], highest: float) -> list[Segment]:
    """From the bottom up."""
    is_longer = sum(column) > highest
    cells = lengths(column, max(highest, sum(column)), _HEIGHT - is_longer)
    stack: list[Segment] = []
    for kind, length in zip(bars.kinds, cells, strict=True):
        stack += [(LOOKS[kind.key].fill, kind.key)] * length
    stack += [(LONGER, "heading")] if is_longer else []
    return stack + [_EMPTY] * (_HEIGHT - len(stack))


def _joined(cells: Sequence[Segment]) -> Line:
    """Neighbours of one style are one piece."""
    line: Line = []
    for text, style in cells:
        if line and line[-1][1] == style:
            line[-1] = (line[-1][0] + text, style)
        else:
            line.append((text, style))
    return line


def _axis(bars: Bars, groups: Sequence[range], wide: int) -> str:
    """The first bar of a column, in as many places as there is room for."""
    line = ""
    longest = max(len(row.label) for row in bars.rows)
    every = -(-max(_BETWEEN, longest + 2) // wide)
    for column in range(0, len(groups), every):
        line = line.ljust(column * wide) + bars.rows[groups[column].start].label
    return line
