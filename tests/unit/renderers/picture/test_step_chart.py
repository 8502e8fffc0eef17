"""Columns of steps as SVG, read back as XML: heights, words, and colours anyone can tell apart."""

import re
from dataclasses import replace
from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from tfprof.renderers.drawing.category_colours import LOOKS
from tfprof.renderers.picture import step_chart
from tfprof.results.categories import Category
from tfprof.views.chart import Mark, StackLayer, StepChart
from tfprof.views.shapes import PartKind

SVG = "{http://www.w3.org/2000/svg}"
MS = 1000.0
INPUT, OPS, COMPILATION = (
    PartKind(one.value, one.label)
    for one in (Category.INPUT, Category.HOST_MODEL, Category.COMPILATION)
)
FEW = StepChart(
    "slow-cb",
    "median 244.8 ms; 61.4% of a step waits for input",
    ["2", "3", "4", "5"],
    [
        StackLayer(INPUT, [130 * MS, 150 * MS, 290 * MS, 160 * MS], 0.614),
        StackLayer(OPS, [100 * MS, 90 * MS, 95 * MS, 100 * MS]),
        StackLayer(COMPILATION, [0, 0, 0, 0]),
    ],
    [Mark(2, "waited longer for input")],
    ["Steps are marked by Profiled batch."],
)


def many(count, **changes):
    rng = np.random.default_rng(count)
    layers = [
        StackLayer(kind, (rng.uniform(0.8, 1.2, count) * size * MS).tolist())
        for kind, size in ((INPUT, 60), (OPS, 30))
    ]
    return replace(FEW, labels=[str(n) for n in range(count)], layers=layers, marks=[], **changes)


def drawn(chart):
    return ET.fromstring(step_chart.render(chart))  # noqa: S314  (our own text)


def texts(root):
    return [element.text for element in root.iter(f"{SVG}text")]


def boxes(root, kind):
    """Left, bottom, width and height of every part of a kind."""
    (path,) = [p for p in root.iter(f"{SVG}path") if p.get("class") == f"area-{kind.key}"]
    number = r"(-?[\d.]+)"
    found = re.findall(rf"M{number} {number}h{number}v-{number}h-[\d.]+z", path.get("d"))
    return [tuple(map(float, one)) for one in found]


def heights(root):
    """The height of each value that is written beside the axis."""
    ends = [e for e in root.iter(f"{SVG}text") if e.get("text-anchor") == "end"]
    return {element.text: float(element.get("y")) - 4 for element in ends}


def steps_below(root):
    """The labels below the columns, by place; those above are bold."""
    below = [e for e in root.iter(f"{SVG}text") if e.get("text-anchor") == "middle"]
    return [
        (float(e.get("x")), e.text)
        for e in below
        if e.text.isdecimal() and not e.get("font-weight")
    ]


def tooltips(root):
    return [title.text for rect in root.iter(f"{SVG}rect") for title in rect.iter(f"{SVG}title")]


def test_parts_are_as_high_as_their_times_and_stand_on_one_another():
    root = drawn(FEW)
    ticks = heights(root)
    unit = (ticks["0"] - ticks["400 ms"]) / 400
    lower, upper = boxes(root, INPUT), boxes(root, OPS)
    for at in range(4):
        assert lower[at][1] == pytest.approx(ticks["0"], abs=0.02)
        assert lower[at][3] == pytest.approx(unit * FEW.layers[0].values[at] / MS, abs=0.02)
        assert upper[at][3] == pytest.approx(unit * FEW.layers[1].values[at] / MS, abs=0.02)
        assert upper[at][1] == pytest.approx(lower[at][1] - lower[at][3], abs=0.02)
        assert upper[at][0] == lower[at][0]


def test_what_is_drawn_is_said():
    said = texts(drawn(FEW))
    assert {FEW.title, FEW.subtitle, *FEW.labels, *FEW.notes} <= set(said)
    assert {"waiting for input 61.4%", "ops on the CPU"} <= set(said)
    assert {"median", "250.0 ms"} <= set(said)
    assert "Step 4, 385.0 ms: waited longer for input" in said
    assert said.count("4") == 2  # below its column and, since it is marked, above


def test_only_what_occurs_is_in_the_legend_and_the_style():
    made = step_chart.render(FEW)
    assert "compilation" not in made
    assert "area-input{" in made


@pytest.mark.parametrize(("given", "shown"), [(None, 250), (240 * MS, 240)])
def test_the_median_is_a_dashed_line(given, shown):
    root = drawn(replace(FEW, median=given))
    (line,) = [line for line in root.iter(f"{SVG}line") if line.get("stroke-dasharray")]
    assert f"{shown}.0 ms" in texts(root)
    ticks = heights(root)
    level = ticks["0"] - (ticks["0"] - ticks["400 ms"]) * shown / 400
    assert float(line.get("y1")) == float(line.get("y2")) == pytest.approx(level, abs=0.02)


def test_a_column_tells_its_times():
    assert tooltips(drawn(FEW))[2] == (
        "step 4: 385.0 ms\nops on the CPU 95.00 ms (24.7%)\nwaiting for input 290.0 ms (75.3%)"
    )


@pytest.mark.parametrize(("count", "size"), [(10, 1), (95, 1), (200, 1), (201, 2), (1500, 8)])
def test_any_number_of_steps_is_readable(count, size):
    chart = many(count)
    root = drawn(chart)
    width = float(root.get("width"))
    columns = boxes(root, INPUT)
    assert len(columns) == -(-count // size)
    assert all(0 < x < x + wide < width for x, _, wide, _ in columns)
    ticks = heights(root)
    unit = (ticks["0"] - ticks["100 ms"]) / 100
    first = np.mean(chart.layers[0].values[:size]) / MS
    assert columns[0][3] == pytest.approx(unit * first, abs=0.02)
    assert any(f"mean of {size} " in words for words in texts(root)) == (size > 1)
    places = [place for place, _ in steps_below(root)]
    assert len(places) >= 5
    assert min(b - a for a, b in pairwise(places)) >= 20


def test_labels_are_round_numbers_where_steps_have_them():
    chart = replace(many(95), labels=[str(number) for number in range(2, 97)])
    shown = [words for _, words in steps_below(drawn(chart))]
    assert shown == ["10", "20", "30", "40", "50", "60", "70", "80", "90"]


def test_one_giant_does_not_press_the_others_flat():
    giant = replace(
        FEW,
        layers=[FEW.layers[0], FEW.layers[1], StackLayer(COMPILATION, [15e6, 0, 0, 0])],
        marks=[Mark(0, "was compiled")],
    )
    root = drawn(giant)
    assert "400 ms" in heights(root)
    assert "2 · 15.23 s" in texts(root)
    assert list(root.iter(f"{SVG}polygon"))
    assert any("higher than drawn" in words for words in texts(root))
    ((_, _, _, height),) = boxes(root, COMPILATION)
    assert height == pytest.approx(290 * 15 / 15.23, abs=0.1)


def test_many_marks_do_not_cover_each_other():
    chart = many(95)
    chart = replace(chart, marks=[Mark(at, "slow") for at in range(95)])
    root = drawn(chart)
    above = [e for e in root.iter(f"{SVG}text") if e.get("font-weight") and e.get("text-anchor")]
    places = [float(e.get("x")) for e in above]
    assert 10 < len(places) < 95
    assert min(b - a for a, b in pairwise(places)) > 10
    assert "and 91 more slow steps" in texts(root)


def test_the_number_of_a_low_column_does_not_stand_in_a_high_one_beside_it():
    low = replace(many(95), marks=[Mark(40, "slow")])
    values = list(low.layers[0].values)
    values[41] = 200 * MS
    root = drawn(replace(low, layers=[StackLayer(INPUT, values), low.layers[1]]))
    (above,) = [e for e in root.iter(f"{SVG}text") if e.get("font-weight") and e.text == "40"]
    x, bottom, _, height = boxes(root, OPS)[41]
    assert x - float(above.get("x")) < 8  # near enough to be covered
    assert float(above.get("y")) < bottom - height


def test_one_step_has_no_median():
    one = replace(
        FEW, labels=["7"], layers=[StackLayer(INPUT, [MS]), StackLayer(OPS, [2 * MS])], marks=[]
    )
    assert "median" not in texts(drawn(one))


def test_any_text_is_safe_and_ascii():
    nasty = "a<b>&\"c'</text><script>alert(1)</script>\x00 ü 模型"
    layers = [StackLayer(PartKind("input", nasty), [1.0, 2.0])]
    made = step_chart.render(
        StepChart(nasty, nasty, [nasty, "2"], layers, [Mark(1, nasty)], [nasty])
    )
    assert made.isascii()
    assert not list(ET.fromstring(made).iter(f"{SVG}script"))  # noqa: S314


def test_a_picture_is_the_accepted_one(golden):
    golden("step_chart.svg", step_chart.render(FEW))


# what is left of red, green and blue for those without one kind of cones: Machado and others 2009
SIGHTS = {
    "all colours": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                 [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour, sight):
    part = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(np.asarray(sight) @ linear, 0, 1) / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("paper", ["light", "dark"])
def test_colours_can_be_told_apart_by_everyone(paper, sight):
    colours = [lab(getattr(look, paper), SIGHTS[sight]) for look in LOOKS.values()]
    assert min(np.linalg.norm(a - b) for a, b in combinations(colours, 2)) >= 12


def test_steps_that_took_no_time_are_drawn_as_nothing():
    chart = StepChart("one", "", ["0", "1"], [])
    assert chart.totals == [0, 0]
    assert [text.partition("\n")[0] for text in tooltips(drawn(chart))] == [
        "step 0: 0 µs", "step 1: 0 µs",
    ]  # fmt: skip
