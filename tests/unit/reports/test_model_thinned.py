"""A graph of more rows than a page has room for: scopes stand for what is in them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tfprof
from tfprof.reports.model import Query, model_graph
from tfprof.reports.model.thinned import deepest, depths, thinned
from tfprof.reports.shared.question import Question

UNET = Path(__file__).parents[3] / "examples/unet"


@pytest.fixture(scope="module")
def whole():
    return model_graph(tfprof.load(UNET).data, Query(Question()))


@pytest.fixture(scope="module")
def few(whole):
    return thinned(whole, len(whole) // 4)


def test_enough_room_changes_nothing(whole):
    assert thinned(whole, len(whole)) is whole


def test_levels_are_whole(whole, few):
    depth = depths(whole.parent.tolist())
    level = int(depths(few.parent.tolist()).max())
    assert len(few) == int((depth <= level).sum()) <= len(whole) // 4
    assert int((depth <= level + 1).sum()) > len(whole) // 4
    assert list(few.labels) == [
        label for label, at in zip(whole.labels, depth, strict=True) if at <= level
    ]


def test_sums_are_those_of_all(whole, few):
    before = {whole.name_of(row): row for row in range(len(whole)) if whole.kind[row] == 1}
    for one, other in zip(whole.metrics, few.metrics, strict=True):
        assert one.whole == other.whole
        if one.total is not None:
            for row in np.flatnonzero(few.kind == 1).tolist():
                was = one.total[before[few.name_of(row)]]
                np.testing.assert_equal(other.total[row], was)


def test_closed_scopes_say_how_many_they_stand_for(whole, few):
    """Every op is in the graph, or counted where it would stand."""
    closed = np.flatnonzero(few.inside).tolist()
    assert closed
    assert all(few.kind[row] != 0 for row in closed)
    assert int((few.kind == 0).sum()) < few.nodes == whole.nodes


def test_edges_lead_from_one_row_to_another(whole, few):
    pairs = set(zip(few.data.source.tolist(), few.data.target.tolist(), strict=True))
    assert 0 < len(few.data) < len(whole.data)
    assert all(0 <= end < len(few) for pair in pairs for end in pair)
    assert all(source != target for source, target in pairs)
    ends = few.data.source
    assert ((few.kind[ends] == 0) | (few.inside[ends] > 0)).all()


def test_note_says_so(whole, few):
    assert few.notes[-1].startswith(f"{whole.nodes:,} ops: below level ")


def test_deepest_level_keeps_to_the_rows():
    depth = np.array([0, 1, 2, 2, 1, 2, 3, 3, 3, 3])
    assert [deepest(depth, most) for most in (1, 3, 5, 6, 9, 10)] == [1, 1, 1, 2, 2, 3]
    assert depths([-1, 0, 1, 1]).tolist() == depths([0, 0, 1, 1]).tolist() == [0, 1, 2, 2]


def test_columns_of_few_rows_are_written(whole, few):
    assert "inside" not in whole.columns()
    columns = replace(few, shown=None).columns()
    assert len(columns["parent"]) == len(few)
    assert columns["parent"].max() < len(few)
    assert columns["inside"].sum() == few.nodes - (columns["kind"] == 0).sum()


def test_every_edge_between_two_rows_is_counted(whole, few):
    """As many lead into a scope that is open in both as before."""
    name = next(few.name_of(row) for row in np.flatnonzero(few.kind == 1)[1:].tolist())
    assert _into(few, name) == _into(whole, name) > 0


def _into(graph, name):
    inside = np.array(
        [f"{graph.name_of(row)}/".startswith(f"{name}/") for row in range(len(graph))]
    )
    return int((inside[graph.data.target] & ~inside[graph.data.source]).sum())
