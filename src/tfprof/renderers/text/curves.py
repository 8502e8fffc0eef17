"""Curves in a terminal: a row of characters for each step up, a column for each point."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.model import units
from tfprof.renderers.text.areas import area_lines
from tfprof.views.shapes import Series

_HEIGHT = 12
_MARKS = "●○◆◇"


def plot_lines(series: Series, width: int) -> list[str]:
    """The curves over a common axis, with a legend where there are several."""
    if series.over_time:
        return area_lines(series, width)
    highest = max((max(curve.values, default=0) for curve in series.curves), default=0)
    if not highest:
        return []
    label_width = len(units.size(highest)) + 1
    room = max(1, (width - label_width - 2) // max(1, len(series.points)))
    grid = [[" "] * (len(series.points) * room) for _ in range(_HEIGHT)]
    for number, curve in enumerate(series.curves):
        for place, value in enumerate(curve.values):
            row = _HEIGHT - 1 - round((value / highest) * (_HEIGHT - 1))
            column = place * room + room // 2
            # curves that meet stand side by side
            while grid[row][column] != " " and column + 1 < (place + 1) * room:
                column += 1
            grid[row][column] = _MARKS[number % len(_MARKS)]
    lines = []
    for row, cells in enumerate(grid):
        value = highest * (_HEIGHT - 1 - row) / (_HEIGHT - 1)
        label = units.size(value) if row % 3 == 0 or row == _HEIGHT - 1 else ""
        lines.append(f"{label:>{label_width}} │{''.join(cells)}".rstrip())
    lines.append(" " * label_width + " └" + "─" * (len(series.points) * room))
    lines.append(_axis(series.points, room, label_width))
    if len(series.curves) > 1:
        lines += [
            f"{_MARKS[n % len(_MARKS)]} {curve.name}" for n, curve in enumerate(series.curves)
        ]
    return lines


def _axis(points: Sequence[int], room: int, label_width: int) -> str:
    """As many of the points as there is room to write."""
    every = max(1, -(-(len(str(max(points))) + 1) // room))
    cells = [
        str(point).center(room * every)[: room * every]
        for place, point in enumerate(points)
        if place % every == 0
    ]
    return (" " * (label_width + 2) + "".join(cells)).rstrip()
