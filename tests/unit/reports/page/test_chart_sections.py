"""Sections of the page: what they have is what the other commands say of the same profile."""

from pathlib import Path

import numpy as np
import pytest

import tfprof
from tfprof.model.quantity import Quantity
from tfprof.reports.page.about import About, NothingToShow
from tfprof.reports.page.query import Query
from tfprof.reports.page.sections import diff, flame, graph, memory, ops, overview, steps
from tfprof.reports.page.sections import input as of_input
from tfprof.reports.page.shown import table_part
from tfprof.views.shapes import Column, Table, Unit

EXAMPLES = Path(__file__).parents[4] / "examples"


@pytest.fixture
def about():
    return lambda name: _about(EXAMPLES / name)


def _about(path, *others):
    query = Query(others=[(str(one), [tfprof.load(one).data]) for one in others])
    return About(tfprof.load(path).data, query, room=20_000_000)


def test_the_overview_of_a_slow_input_says_what_to_change(about):
    found = overview.section(about("slow_input"))
    cards = {one.label: one.amount for one in found["cards"]}
    assert round(cards["Waits for input"].number, 3) == 0.628
    assert "62.8%" in found["verdict"].text
    assert "Map" in found["verdict"].text
    first = found["advised"][0]
    assert first.section == "input"
    assert "num_parallel_calls" in first.finding.told.code


def test_cards_are_of_what_the_profile_has(about):
    labels = {one.label for one in overview.section(about("unet"))["cards"]}
    assert {"Parameters", "MACs", "Peak memory", "Nodes"} <= labels
    assert "Waits for input" not in labels
    assert "Devices" not in labels


def test_an_answer_is_asked_for_once(about):
    asked = about("slow_input")
    overview.section(asked)
    before = dict(asked._answers)
    steps.section(asked)
    of_input.section(asked)
    assert all(asked._answers[key] is value for key, value in before.items())


def test_the_parts_of_a_step_add_up_to_its_period(about):
    times = steps.section(about("slow_input"))["steps"]
    whole = sum(one.times for one in times.categories)
    assert np.allclose(whole, times.periods, rtol=1e-9)
    assert times.numbers.tolist() == [2, 3, 4, 5, 6, 7, 8, 9]


def test_every_category_with_events_has_something_behind_it(about):
    found = steps.section(about("slow_input"))
    behind = {(one.step, one.category.value) for one in found["behind"] if one.events}
    assert (None, "input") in behind
    assert (0, "host_model") in behind


def test_slow_steps_are_explained(samples):
    found = steps.section(_about(samples / "accelerators/tpu.xplane.pb"))
    (slow,) = found["slow"]
    assert slow.at == 5
    assert "more than usual" in slow.text


def test_the_stage_that_is_waited_for_is_marked(about):
    found = of_input.section(about("slow_input"))
    (pipeline,) = found["pipelines"]
    marked = [one.stage.label for one in pipeline.stages if one.is_bottleneck]
    assert marked == ["Map"]
    assert [one.depth for one in pipeline.stages] == [0, 1, 2, 3]
    assert found["advised"][0].rule == "input-map-not-parallel"


def test_what_lives_at_the_peak_adds_up_to_it(about):
    (device,) = memory.section(about("unet"))["devices"]
    changes = device.changes[device.peak]
    blocks = device.blocks
    alive = (blocks.taken < changes) & (blocks.given_back >= changes)
    assert blocks.bytes[alive].sum() == device.levels[device.peak] == 2_093_226_660


def test_blocks_never_hold_more_than_the_level(samples):
    (device,) = memory.section(_about(samples / "xplane/fast-trace-bfc.xplane.pb"))["devices"]
    blocks = device.blocks
    for changes, level, before in zip(device.changes, device.levels, device.before, strict=True):
        alive = (blocks.taken < changes) & (blocks.given_back >= changes)
        assert blocks.bytes[alive].sum() + before <= level


def test_memory_over_the_batch_has_the_limit_and_what_recomputing_saves(about):
    found = memory.section(about("unet"))["batches"]
    plain, recomputed = found.curves
    assert plain.max_batch == 20
    assert recomputed.max_batch > 20
    assert (recomputed.bytes <= plain.bytes).all()
    assert (np.diff(plain.bytes) > 0).all()


def test_of_a_capture_without_memory_it_is_said_why(about):
    with pytest.raises(NothingToShow, match="no memory events"):
        memory.section(about("slow_input"))


def test_ops_are_there_in_every_grouping_that_answers(about):
    found = {one.by: one for one in ops.section(about("unet"))["choices"]}
    assert {"op", "layer", "node", "scope", "phase"} <= set(found)
    assert "kernel" not in found
    assert found["op"].table.parts[0].texts[0] == "Conv2DBackpropFilter"


def test_tables_are_cut_to_the_room_and_say_so(about, monkeypatch):
    monkeypatch.setattr(ops, "_MOST_ROWS", 100)
    asked = about("unet")
    found = {one.by: one for one in ops.section(asked)["choices"]}
    assert found["node"].rows == 568
    assert found["node"].table.count == 100
    assert "Of 568 rows by op, the page has the first 100." in asked.notes


def test_a_checkpoint_alone_has_its_tensors(samples):
    (found,) = ops.section(_about(samples / "resnet32/model.ckpt"))["choices"]
    assert found.by == "tensor"
    assert found.rows


def test_a_scope_is_what_is_in_it_and_its_own(about):
    tree = flame.section(about("unet"))["tree"]
    params = next(one for one in tree.metrics if one.key == "params")
    assert params.totals[tree.parent < 0].sum() == 93_091_976
    below = np.zeros(len(tree.parent))
    inner = tree.parent >= 0
    np.add.at(below, tree.parent[inner], params.totals[inner])
    assert (below <= params.totals).all()


def test_a_metric_without_data_says_why_and_has_no_numbers(about):
    found = {one.key: one for one in flame.section(about("slow_input"))["tree"].metrics}
    assert found["params"].totals is None
    assert found["params"].unknown
    assert found["micros"].totals is not None
    assert not found["micros"].unknown


def test_phases_of_scopes_are_those_of_their_ops(about):
    tree = flame.section(about("unet"))["tree"]
    of = {name: tree.phases[code] for name, code in zip(tree.names, tree.phase, strict=True)}
    assert of["gradients"] == "backward"
    assert of["_TFProfRoot"] == "several phases"


def test_a_diff_needs_another_side(about):
    with pytest.raises(NothingToShow, match="--against"):
        diff.section(about("unet"))


def test_a_diff_has_what_is_sure_first(samples):
    stories = samples / "stories"
    found = diff.section(_about(stories / "parallel_map", stories / "slow_map"))
    assert [one.short for one in found["sides"]] == ["slow_map", "parallel_map"]
    sure = [one.row.significant is True for one in found["rows"]]
    assert sure == sorted(sure, reverse=True)
    assert len(found["rows"]) == found["all_rows"]


def test_a_table_keeps_what_is_unknown_apart_from_nothing():
    rows = [
        ["a", Quantity.unknown("no shape")],
        ["b", Quantity.at_least(3, "one is missing")],
        ["c", None],
        ["d", 0],
        ["e", ""],
    ]
    numbers = table_part(Table([Column("n", "name"), Column("v", "v", Unit.COUNT)], rows)).parts[1]
    assert np.isnan(numbers.numbers[[0, 2, 4]]).all()
    assert numbers.numbers[[1, 3]].tolist() == [3, 0]
    kinds = [numbers.words[code].kind for code in numbers.said]
    # None is `?` in a terminal, too; an empty text is a gap
    assert kinds == ["unknown", "at_least", "unknown", "", ""]
    assert numbers.words[numbers.said[0]].reason == "no shape"


def test_a_graph_without_room_is_shown_down_to_a_level(about):
    asked = about("unet")
    whole = graph.section(asked)["graph"]
    assert asked.notes == []
    asked.room = 1
    few = graph.section(asked)["graph"]
    assert len(few) <= 1_000 < len(whole)
    assert f"The graph has {whole.nodes:,} ops: below level" in asked.notes[0]


def test_a_flame_graph_of_too_many_rows_has_its_first_levels(about, monkeypatch):
    asked = about("unet")
    whole = flame.section(asked)["tree"]
    assert asked.notes == []
    monkeypatch.setattr(flame, "_MOST_ROWS", 100)
    few = flame.section(asked)["tree"]
    assert len(few.names) <= 100 < len(whole.names)
    assert f"Of {len(whole.names):,} scopes and ops" in asked.notes[0]
    for one, other in zip(whole.metrics, few.metrics, strict=True):
        if one.totals is not None:
            assert one.totals[whole.parent < 0].tolist() == other.totals[few.parent < 0].tolist()
    # every row has its own phase and total still
    at = {name: row for row, name in enumerate(_paths(whole))}
    for row, name in enumerate(_paths(few)):
        assert few.phase[row] == whole.phase[at[name]]


def _paths(tree):
    found = []
    for name, above in zip(tree.names, tree.parent.tolist(), strict=True):
        found.append(f"{found[above]}/{name}" if above >= 0 else name)
    return found


@pytest.mark.parametrize("section", [graph, flame, ops])
def test_graphs_of_many_millions_are_not_gone_through(about, section, monkeypatch):
    monkeypatch.setattr("tfprof.reports.page.about._MOST_NODES", 100)
    with pytest.raises(NothingToShow, match="more than a page is made of"):
        section.section(about("unet"))
