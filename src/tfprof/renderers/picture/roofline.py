"""Work against the roof of a device as SVG: both axes grow by factors of ten."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import units
from tfprof.renderers.drawing.cut import middle_cut
from tfprof.renderers.picture import chart_frame, svg
from tfprof.renderers.picture.chart_frame import ABOVE_PLOT, EDGE, PLOT_HEIGHT, SMALL, Frame
from tfprof.views.chart import RooflineChart, RoofPoint

_PLOT_TOP = 112.0
_SMALLEST, _LARGEST = 3.0, 16.0
_NAMED, _WIDEST_NAME = 6, 30
_DECADES_BELOW = 2
_BESIDE, _TRIES = 4, 12
_LEAST = 1e-12


@frozen_dataclass
class _Decades:
    """From 10 to the power of `low` to that of `high`."""

    low: int
    high: int

    @classmethod
    def around(cls, values: Sequence[float]) -> _Decades:
        logs = [math.log10(max(value, _LEAST)) for value in values]
        low, high = math.floor(min(logs)), math.ceil(max(logs))
        return cls(low, max(high, low + 1))

    def part(self, value: float) -> float:
        """Where it lies, from 0 to 1."""
        return (math.log10(max(value, _LEAST)) - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> list[float]:
        return [10.0**power for power in range(self.low, self.high + 1)]


@frozen_dataclass
class _Frame(Frame):
    across: _Decades
    up: _Decades

    def x(self, intensity: float) -> float:
        return self.left + (self.right - self.left) * self.across.part(intensity)

    def intensity(self, x: float) -> float:
        """What stands there."""
        part = (x - self.left) / (self.right - self.left)
        return float(10.0 ** (self.across.low + part * (self.across.high - self.across.low)))

    def y(self, value: float) -> float:
        return self.bottom - PLOT_HEIGHT * self.up.part(value)


def render(chart: RooflineChart) -> str:
    frame = _frame(chart)
    notes = chart_frame.note_rows(chart.notes, frame)
    labels = [f"{units.count(value)}" for value in frame.up.ticks]
    parts = [
        *chart_frame.heading(chart.title, chart.subtitle),
        svg.text(frame.left, frame.top - ABOVE_PLOT, "FLOP/s", "quiet", font_size=SMALL),
        *chart_frame.value_axis(frame, frame.up.ticks, labels),
        *chart_frame.point_axis(frame, _across(frame), "FLOPs for each byte moved"),
        *_roof(chart, frame),
        *_dots(chart, frame),
        *notes,
    ]
    return svg.document(
        chart_frame.height_with(notes, frame), f"{chart.title}. {chart.subtitle}", parts
    )


def _frame(chart: RooflineChart) -> _Frame:
    across = _Decades.around([chart.ridge, *(one.intensity for one in chart.points)])
    across = _Decades(across.low, across.high)
    lowest = min(one.rate for one in chart.points)
    up = _Decades.around([lowest, chart.flops])
    up = _Decades(min(up.low, up.high - _DECADES_BELOW), up.high)
    labels = [units.count(value) for value in up.ticks]
    left = chart_frame.left_of_plot(labels)
    return _Frame(left, svg.WIDTH - EDGE, _PLOT_TOP, chart.flops, across, up)


def _across(frame: _Frame) -> list[tuple[float, str]]:
    return [(frame.x(value), f"{value:g}") for value in frame.across.ticks]


def _roof(chart: RooflineChart, frame: _Frame) -> Iterator[str]:
    """Up with the bandwidth to where arithmetic is the limit, and level from there on."""
    first, last = frame.across.ticks[0], frame.across.ticks[-1]
    floor = frame.up.ticks[0]
    first = max(first, floor / chart.bytes)
    corners = [(one, chart.roof(one)) for one in (first, chart.ridge, last)]
    yield svg.element(
        "polyline", "limit", fill="none", stroke_width=2, stroke_linejoin="round",
        points=" ".join(f"{frame.x(x):.2f},{frame.y(y):.2f}" for x, y in corners),
    )  # fmt: skip
    ridge = frame.x(chart.ridge)
    yield chart_frame.dashed(ridge, frame.y(chart.flops), ridge, frame.bottom)
    words = f"memory is the limit up to {chart.ridge:.3g}"
    room = ridge - frame.left > svg.text_width(words, SMALL) + 12
    place, anchor = (ridge - 6, "end") if room else (ridge + 6, "start")
    yield svg.text(place, frame.bottom - 8, words, "quiet", font_size=SMALL, text_anchor=anchor)


def _dots(chart: RooflineChart, frame: _Frame) -> Iterator[str]:
    """The largest first, so that small ones lie on top; names of those that take most time."""
    largest = max((one.share for one in chart.points), default=1.0) or 1.0
    taken: list[_Box] = []
    named: list[tuple[RoofPoint, _Box]] = []
    for one in sorted(chart.points, key=lambda one: -one.share):
        x, y = frame.x(one.intensity), frame.y(one.rate)
        radius = _SMALLEST + (_LARGEST - _SMALLEST) * math.sqrt(one.share / largest)
        said = svg.tooltip(_said(chart, one))
        yield svg.element("circle", svg.dot_look(0), said, cx=x, cy=y, r=radius, fill_opacity=0.55)
        taken.append(_Box(x - radius, x + radius, y - radius, y + radius))
        named.append((one, taken[-1]))
    for one, dot in named[:_NAMED]:
        yield _name(chart, one, dot, frame, taken)


@frozen_dataclass
class _Box:
    left: float
    right: float
    top: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        beside = self.right <= other.left or other.right <= self.left
        return not beside and self.top < other.bottom and other.top < self.bottom


def _name(chart: RooflineChart, one: RoofPoint, dot: _Box, frame: _Frame, taken: list[_Box]) -> str:
    """Beside the dot, on the side with room; lower where a dot, a name or the roof is already."""
    words = f"{middle_cut(one.name, _WIDEST_NAME)} {units.share(one.share, 1)}"
    wide = svg.text_width(words, SMALL)
    fits = dot.right + _BESIDE + wide <= frame.right
    place, anchor = (dot.right + _BESIDE, "start") if fits else (dot.left - _BESIDE, "end")
    left = place if fits else place - wide
    first = (dot.top + dot.bottom) / 2 + 4
    rows = [first + (SMALL + 2) * step for step in range(_TRIES)]
    rows = [row for row in rows if row <= frame.bottom] or rows[:1]
    boxes = {row: _Box(left, left + wide, row - SMALL + 2, row + 2) for row in rows}
    free = (row for row in rows if not _is_taken(chart, frame, boxes[row], taken))
    row = next(free, rows[0])
    taken.append(boxes[row])
    return svg.text(place, row, words, font_size=SMALL, text_anchor=anchor)


def _is_taken(chart: RooflineChart, frame: _Frame, box: _Box, taken: Sequence[_Box]) -> bool:
    high, low = (frame.y(chart.roof(frame.intensity(x))) for x in (box.right, box.left))
    return (high < box.bottom and box.top < low) or any(map(box.meets, taken))


def _said(chart: RooflineChart, one: RoofPoint) -> str:
    best = units.share(one.rate / chart.roof(one.intensity), 1)
    return (
        f"{one.name}\n{units.share(one.share, 1)} of the time\n{units.count(one.rate)}FLOP/s, "
        f"{best} of what {one.intensity:.3g} FLOPs a byte allow"
    )
