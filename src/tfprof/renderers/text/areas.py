"""Curves over time in a terminal: filled, a column for each part of the time, one below another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tfprof.model import units
from tfprof.views.shapes import Curve, Series

_HEIGHT, _HEIGHT_OF_SEVERAL = 10, 5
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_FULL = 8
_TICKS = 6


def area_lines(series: Series, width: int) -> list[str]:
    """All from 0 up to the highest value of all, so that heights can be compared."""
    highest = max((max(curve.values, default=0) for curve in series.curves), default=0)
    if highest <= 0:
        return []
    label_width = len(units.size(highest)) + 1
    columns = max(1, min(len(series.points), width - label_width - 2))
    several = len(series.curves) > 1
    lines: list[str] = []
    for curve in series.curves:
        lines += [curve.name] if several else []
        height = _HEIGHT_OF_SEVERAL if several else _HEIGHT
        lines += _one(curve, highest, columns, label_width, height)
    lines.append(" " * label_width + " └" + "─" * columns)
    lines.append(" " * (label_width + 2) + _axis(series.points, columns))
    return lines


def _one(
    curve: Curve, highest: float, columns: int, label_width: int, height: int
) -> Iterator[str]:
    """Each column as high as the highest value of its part; what is not 0 can be seen."""
    eighths = [
        max(round(value / highest * height * _FULL), int(value > 0))
        for value in _highest_of_parts(curve.values, columns)
    ]
    for row in range(height):
        below = (height - 1 - row) * _FULL
        cells = "".join(_EIGHTHS[min(_FULL, max(0, one - below))] for one in eighths)
        # a label stands where the top of its row is
        label = units.size(highest * (height - row) / height) if row % 3 == 0 else ""
        yield f"{label:>{label_width}} │{cells}".rstrip()


def _highest_of_parts(values: Sequence[float], columns: int) -> list[float]:
    """As many parts as columns; no value is in none."""
    bounds = [len(values) * column // columns for column in range(columns + 1)]
    return [max(values[first : max(last, first + 1)]) for first, last in pairwise(bounds)]


def _axis(points: Sequence[int], columns: int) -> str:
    """Round times where they lie; one that would be cut off is left out."""
    first, last = points[0], points[-1]
    step = int(units.round_step(max(1, last - first) / _TICKS))
    ticks = list(range(-(-first // step) * step, last + 1, step))
    line = ""
    for tick, label in zip(ticks, units.axis_durations(ticks), strict=True):
        place = (tick - first) * (columns - 1) // max(1, last - first)
        if place >= len(line) + bool(line) and place + len(label) <= columns:
            line = line.ljust(place) + label
    return line
