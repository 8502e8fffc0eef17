"""A map of cells as SVG: hosts down, steps across; the further from what is usual, the stronger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.renderers.drawing.cut import middle_cut, tail_cut
from tfprof.renderers.drawing.heat import (
    folded_columns,
    folded_rows,
    groups_of,
    row_mean,
    what_was_folded,
)
from tfprof.renderers.picture import chart_frame, svg
from tfprof.renderers.picture.chart_frame import EDGE, LINE, SMALL
from tfprof.views.chart import HeatChart
from tfprof.views.shapes import HeatRow

_TOP, _GAP = 108.0, 1.0
_TALLEST, _LOWEST, _ROOM = 26.0, 13.0, 420.0
_MOST_ROWS, _MOST_COLUMNS = 32, 120
_LABEL, _MEAN = 170.0, 52.0
# from here on it cannot be stronger: half as long again, or two thirds
_FAR = 0.5
_FAINTEST = 0.06
_SLOWER, _FASTER = "dot1", "dot0"
_KEY = ((1.5, "+50%"), (1.25, "+25%"), (1.1, "+10%"), (1.0, "usual"), (0.8, "-20%"))
_KEY_BOX, _KEY_STEP = 14.0, 62.0


def render(chart: HeatChart) -> str:
    heat = chart.map
    rows, groups = folded_rows(heat, _MOST_ROWS), groups_of(heat, _MOST_COLUMNS)
    height = max(_LOWEST, min(_TALLEST, _ROOM / max(1, len(rows))))
    bottom = _TOP + height * len(rows)
    folded = what_was_folded(heat, _MOST_ROWS, groups)
    notes = [*([folded[0].upper() + folded[1:] + "."] if folded else []), *chart.notes]
    letters = svg.letters_in(svg.WIDTH - 2 * EDGE, SMALL)
    parts = [
        *chart_frame.heading(chart.title, chart.subtitle),
        *_key(heat.usual),
        *(part for at, row in enumerate(rows) for part in _row(chart, row, groups, at, height)),
        *_axis(chart, groups, bottom),
        *(
            svg.text(EDGE, bottom + 62 + at * LINE, tail_cut(note, letters), "quiet",
                     font_size=SMALL)
            for at, note in enumerate(notes)
        ),
    ]  # fmt: skip
    whole = bottom + 44 + EDGE + len(notes) * LINE
    return svg.document(whole, f"{chart.title}. {chart.subtitle}", parts)


def _row(
    chart: HeatChart, row: HeatRow, groups: Sequence[range], at: int, height: float
) -> Iterator[str]:
    y = _TOP + at * height
    middle = y + height / 2 + 4
    label = middle_cut(row.label, svg.letters_in(_LABEL - EDGE - 8, SMALL))
    yield svg.text(_LABEL - 8, middle, label, font_size=SMALL, text_anchor="end")
    width = _across() / max(1, len(groups))
    for place, (value, group) in enumerate(
        zip(folded_columns(row.values, groups), groups, strict=True)
    ):
        if value is not None:
            where = chart.map.labels[group.start]
            if len(group) > 1:
                where += f" to {chart.map.labels[group[-1]]}"
            said = f"{row.label}, {chart.map.column} {where}: {value:.2f} times the usual"
            yield _cell(_LABEL + place * width, y, width, height, value, said)
    mean = row_mean(row.values)
    if mean is not None:
        x = svg.WIDTH - EDGE
        yield svg.text(x, middle, f"{mean:.2f}x", "quiet", font_size=SMALL, text_anchor="end")


def _across() -> float:
    return svg.WIDTH - EDGE - _MEAN - _LABEL


def _cell(x: float, y: float, width: float, height: float, value: float, said: str) -> str:
    far = value - 1 if value >= 1 else 1 / max(value, 0.1) - 1
    return svg.element(
        "rect",
        _SLOWER if value >= 1 else _FASTER,
        svg.tooltip(said) if said else "",
        x=x,
        y=y,
        width=max(width - _GAP, 0.5),
        height=height - _GAP,
        fill_opacity=max(_FAINTEST, min(1.0, far / _FAR)),
    )


def _key(usual: str) -> Iterator[str]:
    y = 76.0
    for at, (value, words) in enumerate(_KEY):
        x = _LABEL + at * _KEY_STEP
        yield _cell(x, y, _KEY_BOX, _KEY_BOX, value, "")
        yield svg.text(x + _KEY_BOX + 4, y + 11, words, "quiet", font_size=SMALL)
    x = svg.WIDTH - EDGE
    yield svg.text(x, y + 11, f"usual: {usual}", "quiet", font_size=SMALL, text_anchor="end")


def _axis(chart: HeatChart, groups: Sequence[range], bottom: float) -> Iterator[str]:
    """A label every so often, below the middle of its cell."""
    width = _across() / max(1, len(groups))
    every = max(1, -(-len(groups) // 12))
    for at in range(0, len(groups), every):
        label = chart.map.labels[groups[at].start]
        x = _LABEL + (at + 0.5) * width
        yield svg.text(x, bottom + 16, label, "quiet", font_size=SMALL, text_anchor="middle")
    x = _LABEL + _across() / 2
    yield svg.text(x, bottom + 36, chart.map.column, "quiet", font_size=SMALL, text_anchor="middle")
