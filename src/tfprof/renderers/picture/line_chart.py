"""Curves over a common axis as SVG. The values start at 0, so that heights can be compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import units
from tfprof.renderers.drawing.cut import middle_cut, tail_cut
from tfprof.renderers.picture import chart_frame, svg
from tfprof.renderers.picture.chart_frame import ABOVE_PLOT, EDGE, ROW, SMALL, Frame
from tfprof.views.chart import Chart, Limit
from tfprof.views.shapes import Curve

_PLOT_TOP = 112.0
_INSET = 22.0  # between the axis and the first point
_BESIDE, _MARK = 8.0, 9.0  # the room before words at the end of a curve, and for a dot
_WIDEST_NAME, _WIDEST_LIMIT = 24, 64
_DOT = 4.5


@frozen_dataclass
class _Frame(Frame):
    """Where a point lies, too."""

    first: int
    last: int

    def x(self, point: float) -> float:
        room = self.right - self.left - 2 * _INSET
        if self.first == self.last:
            return self.left + _INSET + room / 2
        return self.left + _INSET + room * (point - self.first) / (self.last - self.first)


def render(chart: Chart) -> str:
    ticks = chart_frame.value_ticks(_highest(chart))
    labels = units.axis_sizes(ticks)
    ends = [_end_rows(chart, curve) for curve in chart.series.curves]
    frame = _frame(chart, ticks[-1], labels, ends)
    notes = chart_frame.note_rows(chart.notes, frame)
    parts = [
        *chart_frame.heading(chart.title, chart.subtitle),
        svg.text(frame.left, frame.top - ABOVE_PLOT, chart.up, "quiet", font_size=SMALL),
        *chart_frame.value_axis(frame, ticks, labels),
        *chart_frame.point_axis(frame, _labelled_points(chart, frame), chart.across),
        *(_limit(chart.limit, frame) if chart.limit is not None else ()),
        *(line for number in range(len(ends)) for line in _curve(chart, number, frame)),
        *_end_labels(chart, ends, frame),
        *notes,
    ]
    return svg.document(
        chart_frame.height_with(notes, frame), f"{chart.title}. {chart.subtitle}", parts
    )


def _frame(
    chart: Chart, highest: float, labels: Sequence[str], ends: Sequence[list[str]]
) -> _Frame:
    widest = max(svg.text_width(row, SMALL) for rows in ends for row in rows)
    right = svg.WIDTH - EDGE - widest - _before_words(ends)
    points = chart.series.points
    return _Frame(
        chart_frame.left_of_plot(labels), right, _PLOT_TOP, highest, min(points), max(points)
    )


def _highest(chart: Chart) -> float:
    highest = max((max(curve.values, default=0) for curve in chart.series.curves), default=0)
    return highest if chart.limit is None else max(highest, chart.limit.value)


def _labelled_points(chart: Chart, frame: _Frame) -> list[tuple[float, str]]:
    ticks = _point_ticks(sorted(set(chart.series.points)), frame)
    over_time = chart.series.over_time
    labels = units.axis_durations(ticks) if over_time else [f"{point:,}" for point in ticks]
    return [(frame.x(point), label) for point, label in zip(ticks, labels, strict=True)]


def _point_ticks(points: Sequence[int], frame: _Frame) -> Sequence[int]:
    """The points themselves if there is room to write each of them, else round numbers."""
    needed = svg.text_width(f"{points[-1]:,}", SMALL) + 10
    places = [frame.x(point) for point in points]
    if all(after - before >= needed for before, after in pairwise(places)):
        return points
    most = max(1.0, (frame.right - frame.left) / max(needed, 50))
    step = int(units.round_step((frame.last - frame.first) / most))
    return range(-(-frame.first // step) * step, frame.last + 1, step)


def _limit(limit: Limit, frame: _Frame) -> Iterator[str]:
    """A dashed level, what lies beyond it tinted, and the last point that stays below."""
    y, width = frame.y(limit.value), frame.right - frame.left
    yield svg.element(
        "rect", "beyond", x=frame.left, y=frame.top, width=width, height=y - frame.top,
        fill_opacity=0.07,
    )  # fmt: skip
    yield chart_frame.dashed(frame.left, y, frame.right, y)
    # above the plot, where no curve can cross the words
    words, row = tail_cut(limit.text, _WIDEST_LIMIT), frame.top - ABOVE_PLOT
    start = svg.WIDTH - EDGE - svg.text_width(words, SMALL)
    yield chart_frame.dashed(start - 34, row - 4, start - 8, row - 4)
    yield svg.text(start, row, words, font_size=SMALL)
    if limit.last is not None and frame.first <= limit.last <= frame.last:
        x = frame.x(limit.last)
        yield chart_frame.dashed(x, y, x, frame.bottom)


def _curve(chart: Chart, number: int, frame: _Frame) -> Iterator[str]:
    curve, points = chart.series.curves[number], chart.series.points
    places = [(frame.x(p), frame.y(v)) for p, v in zip(points, curve.values, strict=True)]
    if chart.series.over_time:
        yield from _stairs(chart, number, places)
        return
    yield svg.element(
        "polyline", svg.line_look(number), fill="none", stroke_width=2.5, stroke_linejoin="round",
        points=" ".join(f"{x:.2f},{y:.2f}" for x, y in places),
    )  # fmt: skip
    gap = (frame.right - frame.left) / len(points)
    radius = min(_DOT, max(1.5, gap / 3))
    for point, value, (x, y) in zip(points, curve.values, places, strict=True):
        said = f"{chart.across} {point:,}: {units.exact(value)} bytes ({units.size(value)})"
        if len(chart.series.curves) > 1:
            said = f"{curve.name}\n{said}"
        yield _dot(number, x, y, radius, svg.tooltip(said))


def _stairs(chart: Chart, number: int, places: Sequence[tuple[float, float]]) -> Iterator[str]:
    """Over time a value holds until the next one; the highest has a dot and its size above."""
    curve, points = chart.series.curves[number], chart.series.points
    corners = list(places[:1])
    for x, y in places[1:]:
        corners += [(x, corners[-1][1]), (x, y)]
    yield svg.element(
        "polyline", svg.line_look(number), fill="none", stroke_width=1.5, stroke_linejoin="round",
        points=" ".join(f"{x:.2f},{y:.2f}" for x, y in corners),
    )  # fmt: skip
    highest = max(range(len(points)), key=lambda at: curve.values[at])
    value = curve.values[highest]
    said = f"{units.duration(points[highest])}: {units.exact(value)} bytes ({units.size(value)})"
    x, y = places[highest]
    yield _dot(number, x, y, _DOT, svg.tooltip(f"{curve.name}\n{said}"))
    yield svg.text(x, y - 9, units.size(value), font_size=SMALL, text_anchor="middle")


def _dot(number: int, x: float, y: float, radius: float, content: str = "") -> str:
    """Curves differ in shape as well as in colour."""
    look = svg.dot_look(number)
    if number % len(_SHAPES) == 0:
        return svg.element("circle", look, content, cx=x, cy=y, r=radius)
    corners = _SHAPES[number % len(_SHAPES)]
    path = " ".join(f"{x + radius * dx:.2f},{y + radius * dy:.2f}" for dx, dy in corners)
    return svg.element("polygon", look, content, points=path)


# corners around the middle; all of about the same area as the circle, which has none
_SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    ((0, -1.3), (1.2, 0.9), (-1.2, 0.9)),
)


def _end_rows(chart: Chart, curve: Curve) -> list[str]:
    """At the end of a curve: which one it is, where there are several, and its last value."""
    names = [curve.name] if len(chart.series.curves) > 1 else []
    return [*(middle_cut(name, _WIDEST_NAME) for name in names), units.size(curve.values[-1])]


def _before_words(ends: Sequence[list[str]]) -> float:
    return _BESIDE + (_MARK if len(ends) > 1 else 0)


def _end_labels(chart: Chart, ends: Sequence[list[str]], frame: _Frame) -> Iterator[str]:
    places = [frame.y(curve.values[-1]) for curve in chart.series.curves]
    gap = max(len(rows) for rows in ends) * ROW + 4
    x = frame.right + _before_words(ends)
    for number, (rows, y) in enumerate(zip(ends, _spread(places, gap, frame.bottom), strict=True)):
        top = y - (len(rows) - 1) * ROW / 2
        if len(ends) > 1:
            yield _dot(number, x - _MARK, top, _DOT)
        for row, words in enumerate(rows):
            look = "quiet" if row else "ink"
            yield svg.text(x, top + row * ROW + 4, words, look, font_size=SMALL)


def _spread(places: Sequence[float], gap: float, bottom: float) -> list[float]:
    """The same order from top to bottom, moved apart where they would cover each other."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    # down from the top, then up again from the bottom where that went too far
    lowest = -math.inf
    for at in order:
        moved[at] = max(moved[at], lowest)
        lowest = moved[at] + gap
    highest = bottom
    for at in reversed(order):
        moved[at] = min(moved[at], highest)
        highest = moved[at] - gap
    return moved
