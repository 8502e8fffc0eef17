"""A tree of parts as SVG: the whole at the top, what it is made of below, as wide as its part."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.renderers.drawing.cut import head_cut, tail_cut
from tfprof.renderers.picture import chart_frame, svg
from tfprof.renderers.picture.chart_frame import EDGE, LINE, SMALL
from tfprof.views.chart import FlameBox, FlameChart

_TOP, _HEIGHT, _GAP = 84.0, 22.0, 1.0
_NARROWEST_WORD = 26.0
_BESIDE_WORD = 4.0
# a level deeper is a little paler
_STRONG, _PALER, _PALEST = 0.85, 0.09, 0.35


def render(chart: FlameChart) -> str:
    deepest = max((one.depth for one in chart.boxes), default=0)
    bottom = _TOP + (deepest + 1) * _HEIGHT
    letters = svg.letters_in(svg.WIDTH - 2 * EDGE, SMALL)
    notes = [
        svg.text(EDGE, bottom + 24 + at * LINE, tail_cut(note, letters), "quiet", font_size=SMALL)
        for at, note in enumerate(chart.notes)
    ]
    parts = [
        *chart_frame.heading(chart.title, chart.subtitle),
        *(part for box in chart.boxes for part in _box(box)),
        *notes,
    ]
    height = bottom + EDGE + len(notes) * LINE
    return svg.document(height, f"{chart.title}. {chart.subtitle}", parts)


def _box(box: FlameBox) -> Iterator[str]:
    room = svg.WIDTH - 2 * EDGE
    x, width = EDGE + room * box.begin, room * box.width
    y = _TOP + box.depth * _HEIGHT
    yield svg.element(
        "rect",
        svg.dot_look(box.kind),
        svg.tooltip(box.said),
        x=x,
        y=y,
        width=max(width - _GAP, 0.3),
        height=_HEIGHT - _GAP,
        fill_opacity=max(_STRONG - _PALER * box.depth, _PALEST) * 0.6,
    )
    if width >= _NARROWEST_WORD:
        words = head_cut(box.label, svg.letters_in(width - 2 * _BESIDE_WORD, SMALL))
        # whoever points at a word means the box below it
        yield svg.text(x + _BESIDE_WORD, y + 15, words, font_size=SMALL, pointer_events="none")
