"""Where the columns of steps lie in a picture, and what is drawn in each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import units
from tfprof.renderers.picture import svg
from tfprof.renderers.picture.chart_frame import PLOT_HEIGHT, SMALL, Frame
from tfprof.views.chart import StackLayer

_INSET = 6.0
_WIDEST = 56.0
_NO_GAP_BELOW, _GAP = 4.0, 0.22
_OVERLAP = 0.3  # so that no paper shines through between neighbours
_LABEL_ROOM = 40.0
_BREAK_BELOW, _BREAK = 18.0, 5.0


@frozen_dataclass
class StepColumns:
    """Layers and totals by column; `groups` are the steps in each, `labels` those of the steps."""

    frame: Frame
    groups: Sequence[range]
    labels: Sequence[str]
    layers: Sequence[StackLayer]
    totals: Sequence[float]

    @property
    def pitch(self) -> float:
        return (self.frame.right - self.frame.left - 2 * _INSET) / len(self.groups)

    @property
    def width(self) -> float:
        return (
            self.pitch + _OVERLAP
            if self.pitch < _NO_GAP_BELOW
            else min(_WIDEST, self.pitch * (1 - _GAP))
        )

    def middle(self, column: int) -> float:
        return self.frame.left + _INSET + (column + 0.5) * self.pitch

    def is_cut(self, column: int) -> bool:
        """Whether it is higher than the plot; it is pressed into it then."""
        return self.totals[column] > self.frame.highest

    def height(self, column: int, value: float) -> float:
        return PLOT_HEIGHT * value / max(self.frame.highest, self.totals[column])

    def top(self, column: int) -> float:
        return self.frame.bottom - self.height(column, self.totals[column])

    def steps(self, column: int) -> str:
        group = self.groups[column]
        if len(group) == 1:
            return f"step {self.labels[group.start]}"
        return f"steps {self.labels[group.start]} to {self.labels[group.stop - 1]}, their mean"


def ticks(columns: StepColumns) -> list[tuple[float, str]]:
    """The step a column begins with, for as many columns as there is room for."""
    needed = max(svg.text_width(label, SMALL) for label in columns.labels) + 8
    every = 1
    if columns.pitch < needed:
        every = int(units.round_step(max(needed, _LABEL_ROOM) / columns.pitch))
    starts = [columns.labels[group.start] for group in columns.groups]
    round_number = every * len(columns.groups[0])
    is_round = [start.isdecimal() and int(start) % round_number == 0 for start in starts[:every]]
    first = is_round.index(True) if True in is_round else 0
    return [(columns.middle(at), starts[at]) for at in range(first, len(starts), every)]


def areas(columns: StepColumns) -> Iterator[str]:
    """One shape for all parts of a kind; the first kind lies at the bottom."""
    below = [0.0] * len(columns.groups)
    width = columns.width
    for layer in columns.layers:
        boxes = []
        for at, value in enumerate(layer.values):
            x, y = columns.middle(at) - width / 2, columns.height(at, below[at])
            height = columns.height(at, value)
            below[at] += value
            if height:
                corner = f"M{x:.2f} {columns.frame.bottom - y:.2f}"
                boxes.append(f"{corner}h{width:.2f}v{-height:.2f}h{-width:.2f}z")
        yield svg.element("path", svg.area_look(layer.kind.key), d="".join(boxes))


def breaks(columns: StepColumns) -> Iterator[str]:
    """A slanted gap in what is higher than is drawn."""
    half, slope = columns.width / 2 + 1, min(6.0, columns.width / 4)
    for at in range(len(columns.groups)):
        if columns.is_cut(at):
            x, y = columns.middle(at), columns.frame.top + _BREAK_BELOW
            corners = (
                (-half, slope),
                (half, -slope),
                (half, _BREAK - slope),
                (-half, _BREAK + slope),
            )
            path = " ".join(f"{x + dx:.2f},{y + dy:.2f}" for dx, dy in corners)
            yield svg.element("polygon", "paper", points=path)


def tooltips(columns: StepColumns) -> Iterator[str]:
    """Over the whole height, so that a low column is found as well."""
    for at, total in enumerate(columns.totals):
        lines = [f"{columns.steps(at)}: {units.duration(total)}"]
        lines += [
            f"{layer.kind.label} {units.duration(value)} ({units.share(value, total)})"
            for layer in reversed(columns.layers)
            if (value := layer.values[at])
        ]
        yield svg.element(
            "rect", content=svg.tooltip("\n".join(lines)), fill="none", pointer_events="all",
            x=columns.middle(at) - columns.pitch / 2, y=columns.frame.top,
            width=columns.pitch, height=PLOT_HEIGHT,
        )  # fmt: skip


def words_above(columns: StepColumns, words: Sequence[tuple[int, str]]) -> Iterator[str]:
    """Words over some of the columns, by column; those that would touch others are left out."""
    free = 0.0
    for at, said in words:
        width = svg.text_width(said, SMALL)
        middle = max(columns.frame.left + width / 2, columns.middle(at))
        if middle - width / 2 >= free:
            free = middle + width / 2 + 4
            # above the neighbours they reach over, too
            reach = int(width / 2 / columns.pitch + 0.5)
            near = range(max(0, at - reach), min(len(columns.groups), at + reach + 1))
            y = min(map(columns.top, near)) - 6
            yield svg.text(middle, y, said, font_size=SMALL, font_weight=600, text_anchor="middle")
