"""The four views as results: whole, picklable, with rows that can be told apart."""

import pickle

import pytest

import tfprof
from tfprof.renderers.data import json
from tfprof.renderers.text import plain
from tfprof.reports.trees import Prepared, Query, ask, view
from tfprof.results.fields import row_key_of

EVERYTHING = "params,float_ops,bytes,micros,occurrence,device,op_types,input_shapes,tensor_value"
VIEWS = ("scope", "graph", "op", "code")


@pytest.fixture(scope="module")
def profiles(samples):
    folder = samples / "resnet32"
    return {
        "resnet32": tfprof.load(folder / "graph.pb", folder / "run_meta", folder / "tfprof_log"),
        "capture": tfprof.load(samples / "xplane" / "tiny-pytracer.xplane.pb"),
    }


def asked(profiles, profile, name, **options):
    return ask(profiles[profile].data, Query(name, options))


CASES = [("resnet32", name) for name in VIEWS] + [("capture", "scope"), ("capture", "op")]


@pytest.mark.parametrize("options", [{}, {"style": "late", "select": EVERYTHING}], ids=str)
@pytest.mark.parametrize(("profile", "name"), CASES)
def test_an_answer_survives_a_pickle(profiles, profile, name, options):
    before = asked(profiles, profile, name, **options)
    after = pickle.loads(pickle.dumps(before))
    assert after == before
    assert plain.render(view(after)) == plain.render(view(before))
    assert json.render(after) == json.render(before)


def test_answers_that_differ_are_not_equal(profiles):
    few, many = (asked(profiles, "resnet32", "scope", max_depth=depth) for depth in (2, 3))
    assert few != many
    assert few.data.nodes != list(few.data.nodes)


@pytest.mark.parametrize("name", ["scope", "graph", "op"])
def test_rows_are_told_apart_by_their_keys(profiles, name):
    data = asked(profiles, "resnet32", name, style="late", max_depth=100).data
    keys = [row_key_of(row) for row in (data.rows if name == "op" else data.nodes)]
    assert len(keys) > 10
    assert all(keys)
    assert len(set(keys)) == len(keys)


def test_a_line_of_code_is_told_apart_by_the_lines_above_it(profiles):
    """A function that is called from two places has a row under each, of one name."""
    rows = asked(profiles, "resnet32", "code", style="late", max_depth=100).data.nodes
    ways = []
    for row in rows:
        ways.append((*(ways[row.parent] if row.parent >= 0 else ()), *row_key_of(row)))
    assert len(set(rows.names)) < len(rows)
    assert len(set(ways)) == len(rows)


def test_the_second_question_keeps_the_nodes_of_the_first(profiles):
    prepared = Prepared(profiles["resnet32"].data)
    first = prepared.ask(Query("scope", {"select": "params"}))
    kept = prepared.nodes(Query("scope", {}).settled(prepared.data))
    again = prepared.ask(Query("op", {"select": "params", "max_depth": 2}))
    assert prepared.nodes(Query("op", {}).settled(prepared.data)) is kept
    assert (first.command, again.command) == ("scope", "op")


def test_what_was_not_said_follows_from_the_profile(profiles):
    assert Query("op", {}).settled(profiles["resnet32"].data).select == ("params",)
    assert Query("op", {}).settled(profiles["capture"].data).select == ("micros",)
