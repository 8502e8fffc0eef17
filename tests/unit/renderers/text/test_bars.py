"""Stacked bars in a terminal: in proportion, within the width, told apart without colour."""

import io
import re
from itertools import groupby

import pytest

from tfprof.renderers.data import csv
from tfprof.renderers.drawing.category_colours import LOOKS
from tfprof.renderers.text import markdown, plain, terminal
from tfprof.renderers.text.bars import bar_lines
from tfprof.results.categories import Category
from tfprof.views.shapes import Bar, Bars, Column, PartKind, Report, Table, Unit

KINDS = [PartKind(c.value, c.label) for c in (Category.INPUT, Category.HOST_MODEL, Category.OTHER)]
# milliseconds of the eight steps of tests/data/xplane/slow-cb: input, ops, the rest
SLOW = [
    (129.3, 92.4, 11.4), (149.5, 83.7, 10.9), (150.4, 84.1, 10.5), (152.3, 82.9, 11.1),
    (160.1, 87.5, 12.0), (138.6, 92.8, 11.6), (166.0, 83.0, 10.2), (137.8, 95.6, 12.3),
]  # fmt: skip
INPUT, OPS, OTHER = (LOOKS[kind.key].fill for kind in KINDS)


def bars(rows, notes=(), kinds=KINDS):
    made = [
        Bar(str(number), [round(1000 * part) for part in parts], dict(notes).get(number, ""))
        for number, parts in enumerate(rows, 2)
    ]
    columns = [Column("step", "step", Unit.COUNT)]
    columns += [Column(kind.key, kind.label, Unit.MICROS) for kind in kinds]
    table = Table(columns, [[int(bar.label), *bar.parts] for bar in made])
    return Bars("Each step", "step", kinds, made, table)


def report(view):
    return Report("slow-cb", "", [view])


def text(view, width=80):
    return plain.render(report(view), width).splitlines()[2:]


def runs(line):
    """The letters of a bar, each with how often it stands there."""
    bar = line.split("ms  ")[1]
    return {letter: len(list(some)) for letter, some in groupby(bar)}


def test_every_kind_of_time_has_a_look_of_its_own():
    assert set(LOOKS) == {category.value for category in Category}
    for of in ("light", "dark", "fill"):
        assert len({getattr(look, of) for look in LOOKS.values()}) == len(LOOKS)


def test_a_line_a_step_in_proportion():
    title, *lines = text(bars(SLOW))
    assert title == "Each step"
    longest = max(sum(parts) for parts in SLOW)
    room = 80 - len("2  233.1 ms  ")
    for line, parts in zip(lines, SLOW, strict=False):
        assert line.split("  ")[1] == f"{sum(parts):.1f} ms"
        found = runs(line)
        for letter, part in zip((INPUT, OPS, OTHER), parts, strict=True):
            assert found[letter] == pytest.approx(room * part / longest, abs=1)


def test_the_legend_names_what_occurs():
    *_, legend = text(bars([(60, 40, 0)] * 3))
    assert legend == f"{INPUT} waiting for input  {OPS} ops on the CPU"


def test_a_note_stands_below_its_bar():
    lines = text(bars(SLOW, {4: "waited 40 ms longer for input than the median step"}))
    assert lines[4].strip() == "└ waited 40 ms longer for input than the median step"
    assert lines[3].startswith("4  245.0 ms")


def test_one_giant_does_not_press_the_others_flat():
    lines = text(bars([(9000, 100, 10), *SLOW]))
    assert lines[1].endswith("»")
    assert len(lines[1]) == 80
    assert max(map(len, lines[2:10])) == 80
    assert "longer than is drawn" in lines[-1]


def test_two_speeds_are_no_giants():
    """Every second step an evaluation: that is how this run is."""
    lines = text(bars([(10, 10, 0), (100, 100, 0)] * 4))
    assert not any("»" in line for line in lines)


@pytest.mark.parametrize("count", [17, 24, 95, 1500])
@pytest.mark.parametrize("width", [40, 80, 120])
def test_many_steps_are_columns_and_the_telling_ones(count, width):
    rows = [SLOW[at % 8] for at in range(count)]
    rows[9] = (400, 90, 10)
    lines = text(bars(rows, {11: "waited long for input"}), width)
    assert max(map(len, lines)) <= width
    assert len(lines) < 25
    label, total = lines[lines.index("The median step and the slowest") + 2].split()[:2]
    assert (label, total) == ("11", "500.0")
    said = re.search(r"(\d+) steps a column, their mean", lines[0])
    room = width - len("500.0 ms │")
    assert (said is None) == (count <= room)
    if said:
        assert int(said[1]) == -(-count // room)


def test_a_column_is_the_mean_of_its_steps():
    """100 columns of steps that wait and compute by turns: all of one height, half and half."""
    rows = [(200, 0, 0), (0, 100, 0)] * 70
    lines = text(bars(rows), 80)
    drawn = [line.partition("│")[2] for line in lines if "│" in line]
    assert {len(line) for line in drawn} == {70}
    heights = [sum(line[70 // 2] == letter for line in drawn) for letter in (INPUT, OPS)]
    assert heights == [7, 3]


def test_colours_change_nothing_but_colour(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    for view in (bars(SLOW), bars(SLOW * 20)):
        out = io.StringIO()
        terminal.render(report(view), out)
        bare = re.sub(r"\x1b\[[\d;]*m", "", out.getvalue())
        assert [line.rstrip() for line in bare.splitlines()[2:]] == text(view)


@pytest.mark.parametrize(
    ("name", "solid"), [("xterm-256color", True), ("xterm-16color", False), ("linux", False)]
)
def test_letters_are_hidden_only_by_enough_colours(monkeypatch, name, solid):
    monkeypatch.setenv("TERM", name)
    monkeypatch.delenv("COLORTERM", raising=False)
    out = io.StringIO()
    terminal.render(report(bars(SLOW)), out)
    # 48: a colour behind the letters
    assert ("\x1b[38;5;208;48;5;208m" in out.getvalue()) == solid


def test_formats_that_draw_nothing_have_all_values():
    view = bars(SLOW * 20)
    rows = csv.render(report(view)).splitlines()
    assert rows[0] == "step,input,host_model,other"
    assert rows[1] == "2,129300,92400,11400"
    assert len(rows) == 161
    made = markdown.render(report(view))
    assert "```\nEach step: 3 steps a column, their mean\n" in made


def test_a_step_without_time_is_an_empty_line():
    lines = text(bars([(0, 0, 0), (0, 0, 0)]))
    assert lines[1] == "2  0 µs"


def test_styles_are_the_keys_of_the_kinds():
    styles = {style for line in bar_lines(bars(SLOW), 80) for _, style in line}
    assert {kind.key for kind in KINDS} <= styles


def test_what_is_not_drawn_in_full_is_said_within_the_width():
    view = bars([*SLOW, (5_000.0, 80.0, 10.0)])
    lines = text(view, 40)
    assert max(map(len, lines)) <= 40
    assert "» takes longer than is drawn; its parts" in lines
