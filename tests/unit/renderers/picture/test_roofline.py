"""Names of a roofline lie beside their dots, and over nothing."""

import re
from itertools import combinations

from tfprof.renderers.drawing.cut import title_cut
from tfprof.renderers.picture import svg
from tfprof.renderers.picture.chart_frame import SMALL
from tfprof.renderers.picture.roofline import render
from tfprof.views.chart import RooflineChart, RoofPoint

# two large dots at the roof, as of the products of a transformer, and two that fall together
POINTS = [
    RoofPoint("dot_general", 273, 624e12, 0.272),
    RoofPoint("transpose", 219, 583e12, 0.146),
    RoofPoint("reduce_sum", 0.25, 480e9, 0.022),
    RoofPoint("mean", 0.26, 470e9, 0.02),
]
_TEXT = re.compile(r'<text[^>]* x="([\d.]+)" y="([\d.]+)"([^>]*)>([^<]+)')
_DOT = re.compile(r'<circle[^>]* cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"')


def boxes(picture):
    for x, y, look, words in _TEXT.findall(picture):
        if any(words.startswith(one.name) for one in POINTS):
            wide = svg.text_width(words, SMALL)
            left = float(x) - wide if 'text-anchor="end"' in look else float(x)
            yield left, left + wide, float(y) - SMALL + 2, float(y) + 2
    for x, y, radius in _DOT.findall(picture):
        across, down, far = float(x), float(y), float(radius)
        yield across - far, across + far, down - far, down + far


def meet(one, other):
    beside = one[1] <= other[0] or other[1] <= one[0]
    return not beside and one[2] < other[3] and other[2] < one[3]


def test_no_name_lies_over_a_dot_or_a_name():
    picture = render(RooflineChart("ops: a", "", 2500e12, 8e12, POINTS, []))
    found = list(boxes(picture))
    assert len(found) == 2 * len(POINTS)
    names, dots = found[: len(POINTS)], found[len(POINTS) :]
    assert not [pair for pair in combinations(names, 2) if meet(*pair)]
    assert not [(name, dot) for name in names for dot in dots if meet(name, dot)]


def test_a_title_keeps_its_sentence():
    path = "/work/shared/samples/accelerators/jax-gpu-attention"
    shown = title_cut(f"What each op does of what the device can: {path}", 64)
    assert shown.startswith("What each op does of what the device can: …")
    assert shown.endswith("jax-gpu-attention")
    assert len(shown) == 64
    assert title_cut("short: a", 64) == "short: a"
    assert len(title_cut("x" * 100, 64)) == 64
