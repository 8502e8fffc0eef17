"""The time of steps as SVG: a column each, stacked from what the time went to.

Of very many steps, neighbours share a column, which is as high as their mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from tfprof.model import units
from tfprof.renderers.drawing.ceiling import ceiling
from tfprof.renderers.drawing.stacks import means, spans
from tfprof.renderers.picture import chart_frame, svg
from tfprof.renderers.picture.chart_frame import EDGE, LINE, ROW, SMALL, Frame
from tfprof.renderers.picture.chart_legend import LEGEND_TOP, legend, legend_rows
from tfprof.renderers.picture.step_columns import (
    StepColumns,
    areas,
    breaks,
    ticks,
    tooltips,
    words_above,
)
from tfprof.views.chart import Mark, StackLayer, StepChart

_MOST_COLUMNS = 200
_BELOW_LEGEND = 40.0  # for the words above the plot
_BESIDE = 8.0
_MARKS_SHOWN, _NOTES_SHOWN = 4, 8


def render(chart: StepChart) -> str:
    shown = [layer for layer in chart.layers if sum(layer.values) > 0]
    middle = median(chart.totals) if chart.median is None else chart.median
    rows = legend_rows([_legend_item(layer) for layer in shown])
    columns, values = _columns(chart, shown, len(rows), units.duration(middle))
    frame = columns.frame
    notes = chart_frame.note_rows([*_said(chart, columns), *chart.notes], frame, _NOTES_SHOWN)
    parts = [
        *chart_frame.heading(chart.title, chart.subtitle),
        *legend(rows),
        svg.text(frame.left, frame.top - 22, "time of a step", "quiet", font_size=SMALL),
        *chart_frame.value_axis(frame, values, units.axis_durations(values)),
        *chart_frame.point_axis(frame, ticks(columns), chart.across),
        *areas(columns),
        *breaks(columns),
        *(_median(middle, chart.level, frame) if len(chart.labels) > 1 else ()),
        *words_above(columns, _above(chart, columns)),
        *tooltips(columns),
        *notes,
    ]
    label = f"{chart.title}. {chart.subtitle}"
    kinds = [layer.kind.key for layer in shown]
    return svg.document(chart_frame.height_with(notes, frame), label, parts, kinds)


def _columns(
    chart: StepChart, shown: Sequence[StackLayer], rows: int, beside: str
) -> tuple[StepColumns, list[float]]:
    """And the values along the axis."""
    groups = spans(len(chart.labels), _MOST_COLUMNS)
    totals = list(means(chart.totals, groups))
    values = chart_frame.value_ticks(ceiling(totals))
    words = max(svg.text_width(text, SMALL) for text in (chart.level, beside))
    right = svg.WIDTH - EDGE - _BESIDE - words
    top = LEGEND_TOP + rows * LINE + _BELOW_LEGEND
    frame = Frame(chart_frame.left_of_plot(units.axis_durations(values)), right, top, values[-1])
    layers = [StackLayer(layer.kind, list(means(layer.values, groups))) for layer in shown]
    return StepColumns(frame, groups, chart.labels, layers, totals), values


def _legend_item(layer: StackLayer) -> tuple[str, str]:
    share = "" if layer.share is None else f" {units.share(layer.share, 1)}"
    return layer.kind.key, layer.kind.label + share


def _median(value: float, level: str, frame: Frame) -> Iterator[str]:
    y = frame.y(value)
    yield chart_frame.dashed(frame.left, y, frame.right, y)
    for row, words in enumerate((level, units.duration(value))):
        yield svg.text(frame.right + _BESIDE, y - 3 + row * ROW, words, font_size=SMALL)


def _above(chart: StepChart, columns: StepColumns) -> list[tuple[int, str]]:
    """The numbers of steps that are told about, and the time of columns that are cut."""
    size = len(columns.groups[0])
    words: dict[int, str] = {mark.column // size: chart.labels[mark.column] for mark in chart.marks}
    for at, total in enumerate(columns.totals):
        if columns.is_cut(at):
            words[at] = " · ".join([*([words[at]] if at in words else []), units.duration(total)])
    return sorted(words.items())


def _said(chart: StepChart, columns: StepColumns) -> Iterator[str]:
    """Below the picture: what the marked steps are, the longest first, and how it is drawn."""
    totals = chart.totals

    def time(mark: Mark) -> float:
        return totals[mark.column]

    for mark in sorted(chart.marks, key=time, reverse=True)[:_MARKS_SHOWN]:
        yield f"Step {chart.labels[mark.column]}, {units.duration(time(mark))}: {mark.text}"
    if len(chart.marks) > _MARKS_SHOWN:
        yield f"and {units.plural(len(chart.marks) - _MARKS_SHOWN, 'more slow step')}"
    size = len(columns.groups[0])
    if size > 1:
        yield f"{len(chart.labels):,} steps: a column is the mean of {size:,} of them."
    if any(columns.is_cut(at) for at in range(len(columns.groups))):
        yield "A column with a gap is higher than drawn; its parts are in proportion."
