"""What the colours of a picture mean: swatches and words, in as many rows as they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.renderers.picture import svg
from tfprof.renderers.picture.chart_frame import EDGE, LINE, SMALL

LEGEND_TOP = 86.0
_SWATCH, _BESIDE, _BETWEEN = 11.0, 6.0, 18.0

Item = tuple[str, str]  # the key of a kind of time, and words


def legend_rows(items: Sequence[Item]) -> list[list[Item]]:
    rows: list[list[Item]] = []
    used = float(svg.WIDTH)
    for item in items:
        if used + _width(item) > svg.WIDTH - 2 * EDGE:
            rows.append([])
            used = 0.0
        rows[-1].append(item)
        used += _width(item)
    return rows


def legend(rows: Sequence[Sequence[Item]]) -> Iterator[str]:
    for number, row in enumerate(rows):
        x, y = EDGE, LEGEND_TOP + number * LINE
        for item in row:
            key, words = item
            yield svg.element(
                "rect", svg.area_look(key), x=x, y=y - 10, width=_SWATCH, height=_SWATCH, rx=2
            )
            yield svg.text(x + _SWATCH + _BESIDE, y, words, font_size=SMALL)
            x += _width(item)


def _width(item: Item) -> float:
    return _SWATCH + _BESIDE + svg.text_width(item[1], SMALL) + _BETWEEN
