"""Curves as SVG, read back as XML: where things stand, what they say, and that nothing leaks."""

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from tfprof.renderers.picture import line_chart
from tfprof.views.chart import Chart, Limit
from tfprof.views.shapes import Curve, Series

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = ("circle", "polygon")
GB = 10**9

ONE = Chart(
    "Peak memory of one training step",
    "unet.pb · H=572 · model cpu-tf",
    "batch",
    "peak memory beside the variables",
    Series([1, 2, 4, 8], [Curve("unet.pb", [2 * GB, 3 * GB, 5 * GB, 9 * GB + 7])]),
)
TWO = replace(
    ONE,
    series=Series(
        [1, 2, 4, 8],
        [*ONE.series.curves, Curve("other.pb", [3 * GB, 5 * GB, 9 * GB, 17 * GB])],
    ),
    notes=["H is taken to be the same in input, labels", "Estimated; nothing was run."],
)
BUDGET = replace(ONE, limit=Limit(6 * GB, "device memory 6.000 GB: batch 4 fits", 4))


def drawn(chart):
    return ET.fromstring(line_chart.render(chart))  # noqa: S314  (our own text)


def middle(shape):
    """Of a dot, whatever its shape; a polygon here reaches as far to the left as to the right."""
    if shape.tag == f"{SVG}circle":
        return float(shape.get("cx")), float(shape.get("cy"))
    corners = [tuple(map(float, pair.split(","))) for pair in shape.get("points").split()]
    xs, ys = zip(*corners, strict=True)
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def dots(root):
    """The dots of the curves, which have a tooltip; those of the labels have none."""
    found = [shape for name in SHAPES for shape in root.iter(f"{SVG}{name}")]
    return [(*middle(shape), shape.find(f"{SVG}title").text) for shape in found if len(shape)]


def texts(root):
    return [element.text for element in root.iter(f"{SVG}text")]


def tick_places(root):
    """The height of each value that is written beside the axis."""
    ends = [e for e in root.iter(f"{SVG}text") if e.get("text-anchor") == "end"]
    return {element.text: float(element.get("y")) - 4 for element in ends}


@pytest.mark.parametrize("chart", [ONE, TWO, BUDGET])
def test_places_are_in_proportion_to_points_and_values(chart):
    root = drawn(chart)
    ticks = tick_places(root)
    zero, ten = ticks["0"], ticks["10 GB"]
    found = dots(root)
    for number, curve in enumerate(chart.series.curves):
        own = found[number * 4 : number * 4 + 4]
        (first, *_), *_, (last, *_) = own
        for point, value, (x, y, _) in zip(chart.series.points, curve.values, own, strict=True):
            assert x == pytest.approx(first + (last - first) * (point - 1) / 7, abs=0.02)
            assert y == pytest.approx(zero + (ten - zero) * value / (10 * GB), abs=0.02)


def test_the_line_goes_through_its_dots():
    root = drawn(ONE)
    (line,) = root.iter(f"{SVG}polyline")
    corners = [tuple(map(float, pair.split(","))) for pair in line.get("points").split()]
    assert corners == [(x, y) for x, y, _ in dots(root)]


def test_a_dot_tells_all_digits():
    assert dots(drawn(ONE))[-1][2] == "batch 8: 9,000,000,007 bytes (9.000 GB)"
    assert dots(drawn(TWO))[-1][2] == "other.pb\nbatch 8: 17,000,000,000 bytes (17.00 GB)"


def test_ticks_are_round_and_in_one_unit():
    assert list(tick_places(drawn(ONE))) == ["0", "2 GB", "4 GB", "6 GB", "8 GB", "10 GB"]
    small = replace(ONE, series=Series([1, 2], [Curve("", [400 * 10**6, 1_400 * 10**6])]))
    assert list(tick_places(drawn(small))) == ["0", "0.5 GB", "1 GB", "1.5 GB"]


def test_what_is_drawn_is_said():
    said = texts(drawn(TWO))
    for words in (TWO.title, TWO.subtitle, TWO.across, TWO.up, *TWO.notes):
        assert words in said
    assert [point for point in ("1", "2", "4", "8") if point in said] == ["1", "2", "4", "8"]
    assert {"unet.pb", "other.pb", "9.000 GB", "17.00 GB"} <= set(said)


def test_curves_differ_in_colour_and_shape():
    root = drawn(TWO)
    lines = list(root.iter(f"{SVG}polyline"))
    assert len({line.get("stroke") for line in lines}) == 2
    assert list(root.iter(f"{SVG}circle"))
    assert list(root.iter(f"{SVG}polygon"))


def test_labels_of_curves_that_end_together_do_not_cover_each_other():
    curves = [Curve(f"model{number}", [GB, GB]) for number in range(6)]
    root = drawn(replace(ONE, series=Series([1, 2], curves)))
    places = [float(e.get("y")) for e in root.iter(f"{SVG}text") if "model" in e.text[:5]]
    ordered = sorted(places[1:])  # the subtitle says model, too
    assert min(b - a for a, b in pairwise(ordered)) >= 24


def test_a_limit_is_a_dashed_level_with_the_last_point_that_stays_below():
    root = drawn(BUDGET)
    dashed = [line for line in root.iter(f"{SVG}line") if line.get("stroke-dasharray")]
    ticks = tick_places(root)
    level = next(line for line in dashed if float(line.get("y1")) == ticks["6 GB"])
    assert level.get("y1") == level.get("y2")
    (drop,) = [line for line in dashed if line.get("x1") == line.get("x2")]
    assert float(drop.get("x1")) == dots(root)[2][0]
    assert BUDGET.limit.text in texts(root)


def test_a_limit_above_all_values_is_still_in_the_picture():
    root = drawn(replace(BUDGET, limit=Limit(90 * GB, "far away", 50)))
    assert "100 GB" in tick_places(root)
    dashed = [line for line in root.iter(f"{SVG}line") if line.get("stroke-dasharray")]
    assert not [line for line in dashed if line.get("x1") == line.get("x2")]


def test_light_is_in_the_attributes_and_dark_in_the_style():
    root = drawn(BUDGET)
    style = root.find(f"{SVG}style").text
    assert "prefers-color-scheme: dark" in style
    for element in root.iter():
        if look := element.get("class"):
            assert element.get("fill") or element.get("stroke")
            assert f".{look}{{" in style
    assert root.find(f"{SVG}rect").get("class") == "paper"


def test_nothing_comes_from_elsewhere():
    made = line_chart.render(TWO).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"http|href|url\(|@import|<script|<image", made)


NASTY = "a<b>&\"c'</text><script>alert(1)</script>]]>\x00\x1b\ud800 ü 模型 🐢"


def test_any_text_is_safe_and_ascii():
    chart = replace(
        TWO,
        title=NASTY,
        subtitle=NASTY,
        notes=[NASTY],
        series=Series([1, 2], [Curve(NASTY, [1, 2]), Curve("x", [2, 3])]),
        limit=Limit(2, NASTY),
    )
    made = line_chart.render(chart)
    assert made.isascii()
    root = ET.fromstring(made)  # noqa: S314
    assert not list(root.iter(f"{SVG}script"))
    shown = NASTY.replace("\x00", r"\x00").replace("\x1b", r"\x1b").replace("\ud800", r"\ud800")
    assert shown in texts(root)
    assert root.get("aria-label") == f"{shown}. {shown}"


def test_the_same_chart_is_the_same_text():
    assert line_chart.render(TWO) == line_chart.render(TWO)


def test_a_picture_is_the_accepted_one(golden):
    golden("line_chart.svg", line_chart.render(replace(TWO, limit=BUDGET.limit)))


@pytest.mark.parametrize(
    "series",
    [
        Series([7], [Curve("", [5])]),
        Series([8, 8], [Curve("", [5, 5])]),
        Series([1, 2], [Curve("", [0, 0])]),
        Series([1, 2], [Curve("", [1, 3])]),
        Series([1, 10**9], [Curve("", [10**15, 10**18])]),
        Series(range(1, 257), [Curve("", range(1, 257))]),
        Series([1, 2, 4, 8, 16, 32, 64, 128, 256], [Curve("", [GB] * 9)]),
    ],
    ids=["one point", "same point", "nothing", "bytes", "huge", "many", "doubling"],
)
def test_odd_series_stay_inside_the_picture(series):
    root = drawn(replace(ONE, series=series))
    width, height = float(root.get("width")), float(root.get("height"))
    assert len(dots(root)) == len(series.points)
    for x, y, _ in dots(root):
        assert 0 < x < width
        assert 0 < y < height
    for element in root.iter(f"{SVG}text"):
        assert 0 < float(element.get("x")) < width
        assert 0 < float(element.get("y")) < height


def test_words_that_are_too_long_are_cut():
    long = "model/" * 60
    root = drawn(replace(TWO, title=long, subtitle=long, notes=[long] * 9))
    assert max(map(len, texts(root))) < 120
    assert "6 more" in texts(root)
