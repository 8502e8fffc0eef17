"""Runs over time as SVG: a dot a run, the band where the runs before said it would lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import units
from tfprof.renderers.drawing.cut import middle_cut
from tfprof.renderers.picture import chart_frame, svg
from tfprof.renderers.picture.chart_frame import EDGE, SMALL, Frame
from tfprof.views.chart import HistoryChart, HistoryPanel, RunPoint

_FIRST_TOP, _HEIGHT, _BETWEEN = 112.0, 150.0, 86.0
_INSET = 22.0
_DOT, _CHANGED = 3.5, 5.5
# with more runs than this, dots are smaller
_MANY, _SMALLEST = 100, 1.6
_MOST_OVER = 1.6  # a band may reach so far above the highest dot
_TICKS_APART = 96.0
_ABOVE = 10.0


@frozen_dataclass
class _Frame(Frame):
    """A lower plot than others have, and where a run lies in it."""

    runs: int

    @property
    def bottom(self) -> float:
        return self.top + _HEIGHT

    def y(self, value: float) -> float:
        return self.bottom - _HEIGHT * min(1.0, value / self.highest)

    def x(self, at: float) -> float:
        room = self.right - self.left - 2 * _INSET
        return self.left + _INSET + (room * at / (self.runs - 1) if self.runs > 1 else room / 2)


def render(chart: HistoryChart) -> str:
    parts = [*chart_frame.heading(chart.title, chart.subtitle)]
    frame = None
    for number, panel in enumerate(chart.panels):
        ticks = chart_frame.value_ticks(_highest(panel.points))
        labels = units.axis_durations(ticks)
        top = _FIRST_TOP + number * (_HEIGHT + _BETWEEN)
        left = chart_frame.left_of_plot(labels)
        frame = _Frame(left, svg.WIDTH - EDGE, top, ticks[-1], len(panel.points))
        parts += _panel(panel, frame, ticks, labels, number)
    frame = frame or _Frame(EDGE, svg.WIDTH - EDGE, _FIRST_TOP, 1.0, 1)
    notes = chart_frame.note_rows(chart.notes, frame)
    parts += notes
    return svg.document(
        chart_frame.height_with(notes, frame), f"{chart.title}. {chart.subtitle}", parts
    )


def _highest(points: Sequence[RunPoint]) -> float:
    values = max((one.value for one in points), default=0.0)
    bands = max((one.expected[1] for one in points if one.expected is not None), default=0.0)
    return max(values, min(bands, values * _MOST_OVER)) or 1.0


def _panel(
    panel: HistoryPanel, frame: _Frame, ticks: Sequence[float], labels: Sequence[str], number: int
) -> Iterator[str]:
    room = svg.letters_in(svg.WIDTH - 2 * EDGE, SMALL)
    yield svg.text(EDGE, frame.top - 14, middle_cut(panel.title, room), "ink", font_size=SMALL)
    yield from chart_frame.value_axis(frame, ticks, labels)
    yield from chart_frame.point_axis(frame, _moments(panel.points, frame), "")
    yield from _bands(panel.points, frame, number)
    places = [(frame.x(at), frame.y(one.value)) for at, one in enumerate(panel.points)]
    for (x1, y1), (x2, y2) in pairwise(places):
        look = svg.line_look(number)
        yield svg.element("line", look, x1=x1, y1=y1, x2=x2, y2=y2, stroke_width=1, opacity=0.5)
    yield from _dots(panel.points, frame, number)


def _moments(points: Sequence[RunPoint], frame: _Frame) -> list[tuple[float, str]]:
    """As many as have room, the last one among them."""
    least = _TICKS_APART * (frame.runs - 1) / max(1.0, frame.x(frame.runs - 1) - frame.x(0))
    step = max(1, int(least) + (least % 1 > 0)) if frame.runs > 1 else 1
    chosen = [*range(frame.runs - 1, -1, -step)]
    return [(frame.x(at), points[at].when) for at in reversed(chosen)]


def _bands(points: Sequence[RunPoint], frame: _Frame, number: int) -> Iterator[str]:
    """Half of the way to the neighbours on either side."""
    half = (frame.x(1) - frame.x(0)) / 2 if frame.runs > 1 else _INSET
    for at, one in enumerate(points):
        if one.expected is None:
            continue
        low, high = (frame.y(max(0.0, value)) for value in one.expected)
        left = max(frame.left, frame.x(at) - half)
        width = min(frame.right, frame.x(at) + half) - left
        yield svg.element(
            "rect", svg.dot_look(number), x=left, y=high, width=width,
            height=max(1.0, low - high), fill_opacity=0.14,
        )  # fmt: skip


def _dots(points: Sequence[RunPoint], frame: _Frame, number: int) -> Iterator[str]:
    small = max(_SMALLEST, _DOT * min(1.0, _MANY / max(1, frame.runs)))
    taken = 0.0
    for at, one in enumerate(points):
        x, y = frame.x(at), frame.y(one.value)
        look = "beyond" if one.is_worse else svg.dot_look(number)
        radius = _CHANGED if one.mark else small
        yield svg.element("circle", look, svg.tooltip(one.said), cx=x, cy=y, r=radius)
        # above its dot; left out where another one stands: the tooltip has it
        half = svg.text_width(one.mark, SMALL) / 2
        middle = min(max(x, frame.left + half), svg.WIDTH - EDGE / 2 - half)
        if one.mark and middle - half >= taken:
            ink = "beyond" if one.is_worse else "ink"
            look_of: dict[str, str | float] = {"text_anchor": "middle", "pointer_events": "none"}
            yield svg.text(middle, y - _ABOVE, one.mark, ink, font_size=SMALL, **look_of)
            taken = middle + half
