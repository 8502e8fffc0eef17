"""What all pictures share: the words around the plot, the axis of values, where a value lies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import units
from tfprof.renderers.drawing.cut import middle_cut, tail_cut, title_cut
from tfprof.renderers.picture import svg

EDGE = 24.0
TITLE, TEXT, SMALL = 17.0, 13.0, 12.0
PLOT_HEIGHT = 290.0
LINE = 18.0
ROW = 15.0
ABOVE_PLOT = 14.0  # where the words right above it stand
_STEPS = 5
_NOTES_SHOWN = 4


@frozen_dataclass
class Frame:
    """The plot: heights are in proportion to values, which start at 0."""

    left: float
    right: float
    top: float
    highest: float

    @property
    def bottom(self) -> float:
        return self.top + PLOT_HEIGHT

    def y(self, value: float) -> float:
        return self.bottom - PLOT_HEIGHT * value / self.highest


def left_of_plot(labels: Sequence[str]) -> float:
    """Beside the widest of the labels of values."""
    return EDGE + max(svg.text_width(label, SMALL) for label in labels) + 8


def value_ticks(highest: float) -> list[float]:
    """Round values from 0 to one that is not below the highest."""
    step = units.round_step(highest / _STEPS)
    return [step * number for number in range(max(1, math.ceil(highest / step)) + 1)]


def heading(title: str, subtitle: str) -> Iterator[str]:
    room = svg.WIDTH - 2 * EDGE
    shown = title_cut(title, svg.letters_in(room, TITLE))
    yield svg.text(EDGE, 38, shown, font_size=TITLE, font_weight=600)
    shown = middle_cut(subtitle, svg.letters_in(room, TEXT))
    yield svg.text(EDGE, 60, shown, "quiet", font_size=TEXT)


def value_axis(frame: Frame, ticks: Sequence[float], labels: Sequence[str]) -> Iterator[str]:
    for value, label in zip(ticks, labels, strict=True):
        y = frame.y(value)
        look = "grid" if value else "axis"
        yield svg.element("line", look, x1=frame.left, y1=y, x2=frame.right, y2=y)
        yield svg.text(frame.left - 8, y + 4, label, "quiet", font_size=SMALL, text_anchor="end")


def point_axis(frame: Frame, ticks: Sequence[tuple[float, str]], across: str) -> Iterator[str]:
    """Below the plot: where each tick stands and what it says, and what the points are."""
    for x, label in ticks:
        yield svg.element("line", "axis", x1=x, y1=frame.bottom, x2=x, y2=frame.bottom + 5)
        yield svg.text(x, frame.bottom + 20, label, "quiet", font_size=SMALL, text_anchor="middle")
    middle = (frame.left + frame.right) / 2
    yield svg.text(
        middle, frame.bottom + 42, across, "quiet", font_size=SMALL, text_anchor="middle"
    )


def dashed(x1: float, y1: float, x2: float, y2: float) -> str:
    return svg.element(
        "line", "limit", x1=x1, y1=y1, x2=x2, y2=y2, stroke_width=1.5, stroke_dasharray="6 4"
    )


def note_rows(notes: Sequence[str], frame: Frame, most: int = _NOTES_SHOWN) -> list[str]:
    """Below everything else; what is beyond `most` is counted."""
    shown = list(notes)
    if len(shown) > most:
        rest = len(shown) - most + 1
        shown = [*shown[: most - 1], f"{rest:,} more"]
    letters = svg.letters_in(svg.WIDTH - 2 * EDGE, SMALL)
    top = frame.bottom + 68
    return [
        svg.text(EDGE, top + number * LINE, tail_cut(note, letters), "quiet", font_size=SMALL)
        for number, note in enumerate(shown)
    ]


def height_with(notes: Sequence[str], frame: Frame) -> float:
    return frame.bottom + 58 + len(notes) * LINE + (EDGE / 2 if notes else 0)
