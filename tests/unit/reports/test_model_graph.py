"""The model as a graph: what it sums up to is what other answers tell, and who reads whom."""

import re

import numpy as np
import pytest
from conftest import TESTS

from tfprof.errors import InputMissing
from tfprof.model.options import Options
from tfprof.model.profile import ProfileData
from tfprof.reports.model import Query, ask, model_graph
from tfprof.reports.model.picture import picture
from tfprof.reports.shared.model_costs import costs_of
from tfprof.reports.shared.question import Question
from tfprof.reports.trees import Prepared
from tfprof.sources.find.load import Request, read_one


def _read(path) -> ProfileData:
    return read_one(Request([path]))


@pytest.fixture(scope="module")
def of_unet(unet):
    return model_graph(_read(unet), Query())


def _edges(graph):
    named = graph.name_of
    pairs = zip(graph.data.source.tolist(), graph.data.target.tolist(), graph.data.shape.tolist(),
                strict=True)  # fmt: skip
    return {(named(a), named(b)): graph.data.shapes[shape] for a, b, shape in pairs}


def test_sums_are_those_of_the_other_answers(unet, of_unet):
    data = _read(unet)
    nodes = Prepared(data).nodes(Options(select=("micros",)))
    total = {one.key: one.whole for one in of_unet.metrics}
    assert total["params"] == 31_030_658
    assert total["flops"] == costs_of(data, Question()).total.flops_all
    assert total["time"] == nodes.costs[:, 6].sum()
    assert of_unet.nodes == len(nodes)


def test_edges_are_those_of_the_graph_with_their_shapes(unet, of_unet):
    graph = _read(unet).graph
    assert len(of_unet.data) == int((graph.edges.port >= 0).sum())
    assert len(of_unet.control) == int((graph.edges.port < 0).sum())
    conv = "model/left0/conv0/conv2d/Conv2D"
    assert _edges(of_unet)["input", conv] == "1×572×572×1"


def test_what_did_not_run_has_no_data_which_is_not_nothing(of_unet):
    time = of_unet.metric("time")
    row = next(r for r in range(len(of_unet)) if of_unet.name_of(r) == "input")
    assert np.isnan(time.total[row])
    assert of_unet.metric("params").total[row] == 0


def test_without_a_run_it_says_why_there_is_no_time(samples):
    graph = model_graph(_read(samples / "keras_mlp_fwd.graph.pb"), Query())
    time = graph.metric("time")
    assert (time.total, time.whole, time.why) == (None, None, "no run was given")
    assert any("one sample" in note for note in graph.notes)


def test_an_unknown_part_makes_a_sum_at_least_so_much(samples):
    graph = model_graph(_read(samples / "keras_lstm_train.graph.pb"), Query())
    flops = graph.metric("flops")
    lost = [one for one in costs_of(_read(samples / "keras_lstm_train.graph.pb"), Question()).ops
            if one.cost is None]  # fmt: skip
    assert bool(flops.partly[0]) == bool(lost)


def test_the_bodies_of_functions_stand_in_their_calls(samples):
    data = _read(samples / "keras_lstm_fwd.graph.pb")
    inside = {site.name for site in costs_of(data, Question()).inferred.sites}
    inside -= set(data.graph.names)
    assert inside
    graph = model_graph(data, Query())
    # a node that is a scope, too, stands in it in brackets
    names = {re.sub(r"/\([^/]*\)$", "", graph.name_of(row)) for row in range(len(graph))}
    assert inside <= names
    edges = _edges(graph)
    assert any(a in inside and b in inside for a, b in edges)


def test_a_run_alone_has_scopes_and_no_edges(samples):
    graph = model_graph(_read(samples / "xplane" / "slow-cb.xplane.pb"), Query())
    assert len(graph.data) == 0
    assert any("not known" in note for note in graph.notes)
    assert graph.metric("time").whole > 0
    assert graph.metric("params").why == "no graph was given"


def test_layers_of_a_keras_file():
    graph = model_graph(_read(TESTS / "models" / "residual.keras"), Query())
    assert graph.of == "layers"
    edges = _edges(graph)
    assert edges
    assert all(shape.startswith("B×") for shape in edges.values())
    assert graph.metric("params").whole > 0
    assert graph.metric("time").why


def test_nothing_to_draw():
    with pytest.raises(InputMissing, match="no graph"):
        model_graph(ProfileData("nothing"), Query())


def test_a_picture_shows_costs_and_shapes(unet):
    chart = picture(ask(_read(unet), Query()))
    labels = {box.label for box in chart.boxes}
    assert "train/gradients/model" in labels
    assert len(chart.boxes) <= 40
    link = next(one for one in chart.links if chart.boxes[one.target].label == "model")
    assert (chart.boxes[link.source].label, link.label) == ("input", "1×572×572×1")
    hottest = max(chart.boxes, key=lambda one: one.heat or 0)
    assert hottest.heat == 1
    assert any(box.heat is None and box.cost.startswith("no data") for box in chart.boxes)


def test_a_picture_of_a_metric_that_is_not_there(samples):
    with pytest.raises(InputMissing, match="no run was given"):
        picture(ask(_read(samples / "keras_mlp_fwd.graph.pb"), Query(metric="time")))
