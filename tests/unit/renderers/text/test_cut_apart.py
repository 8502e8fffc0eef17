"""Names that differ look different, though there is no room for all of them."""

import pytest

from tfprof.renderers.drawing.cut import cut_apart, head_cut
from tfprof.renderers.text.plain import render
from tfprof.views.shapes import Column, Report, Table, Unit

_RUNS = [
    "deep/a/b/c/tiny-20261118-115557",
    "plain/tiny-20261118-115557",
    "plain/tiny-20261118-115610",
    "tb_a",
]


def test_names_with_one_end_keep_their_beginning():
    assert cut_apart(_RUNS, 16) == [
        "deep/…118-115557",
        "plain…118-115557",
        "…20261118-115610",
        "tb_a",
    ]


def test_names_whose_ends_differ_lose_their_front():
    names = [f"model/block_{at}/conv/kernel_{at}" for at in range(20)]
    assert cut_apart(names, 12) == [head_cut(name, 12) for name in names]


@pytest.mark.parametrize("width", [8, 9, 12, 20, 30])
@pytest.mark.parametrize("names", [
    _RUNS,
    ["experiments/lr1/seed-000000/run", "experiments/lr2/seed-000000/run"],
    ["a/same/end/of/many/letters", "b/same/end/of/many/letters", "c/same/end/of/many/letters"],
    ["same/begin/of/many/x/same/end/of", "same/begin/of/many/y/same/end/of"],
    ["short", "another/folder/short", "and/another/folder/short"],
])  # fmt: skip
def test_no_two_look_alike_and_all_fit(names, width):
    cut = cut_apart(names, width)
    assert len({*cut}) == len(names)
    assert all(len(one) <= width for one in cut)


def test_a_name_that_is_there_twice_is_cut_the_same():
    assert len({*cut_apart([_RUNS[0], _RUNS[1], _RUNS[0]], 16)}) == 2


def test_the_rows_of_a_table_can_be_told_apart():
    columns = [Column("run", "run", tells_rows=True), Column("why", "why", Unit.PROSE)]
    rows = [[name, "w" * 60] for name in _RUNS]
    text = render(Report("runs", "", [Table(columns, rows)]), 60)
    shown = [line.split()[0] for line in text.splitlines() if "www" in line]
    assert len({*shown}) == len(_RUNS)
