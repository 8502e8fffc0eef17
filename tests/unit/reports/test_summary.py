"""The result of a summary is all there is: it travels, and its view needs nothing else."""

import gzip
import json
import pickle
import zipfile
from pathlib import Path

import pytest

from tfprof.api.answer import Answer
from tfprof.model.quantity import Kind
from tfprof.reports.summary import Query, ask_paths
from tfprof.results.fields import row_key_of
from tfprof.sources.find.load import Request

VALUES = Path(__file__).parents[2] / "checkpoints/resnet32.data-00000-of-00001.gz"


def asked(*paths, **query):
    return ask_paths(Request(list(paths)), Query(**query))


@pytest.fixture(scope="module")
def checkpoint(samples, tmp_path_factory):
    """With its values."""
    folder = tmp_path_factory.mktemp("stored")
    index = (samples / "resnet32/model.ckpt.index").read_bytes()
    (folder / "model.ckpt.index").write_bytes(index)
    (folder / "model.ckpt.data-00000-of-00001").write_bytes(gzip.decompress(VALUES.read_bytes()))
    return folder


@pytest.fixture(
    scope="module",
    params=["UNET", "resnet32", "keras_mlp_train.graph.pb", "tiny.xplane.pb", "STORED"],
)
def answered(request, samples, unet, checkpoint):
    if request.param == "STORED":
        return asked(checkpoint, stats=True)
    return asked(unet if request.param == "UNET" else samples / request.param)


def travels(answered):
    """Whatever is rendered of it."""
    again = pickle.loads(pickle.dumps(answered))
    assert again == answered
    for form in (str, Answer.to_json, Answer.to_csv, Answer.to_markdown):
        assert form(Answer(again)) == form(Answer(answered))


def told_apart(rows):
    keys = [row_key_of(row) for row in rows]
    return all(keys) and len(set(keys)) == len(keys)


def test_a_result_travels(answered):
    travels(answered)


def test_rows_are_told_apart(answered):
    found = answered.data
    assert told_apart(found.costliest)
    assert told_apart(found.inputs)
    assert told_apart(found.missing)
    assert told_apart(found.costs.uncounted_ops or ())
    assert found.checkpoint is None or told_apart(found.checkpoint.tensors)


def test_the_bins_of_a_histogram_are_told_apart(checkpoint):
    tensors = asked(checkpoint, stats=True).data.checkpoint.tensors
    assert all(told_apart(row.statistics.histogram) for row in tensors)
    assert sum(len(row.statistics.histogram) for row in tensors) > len(tensors)


def test_several_models_are_a_result_too(samples, unet, tmp_path):
    for name, graph in (("one", unet / "graph.pb"), ("two", samples / "keras_mlp_fwd.graph.pb")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "graph.pb").write_bytes(graph.read_bytes())
    answered = asked(tmp_path)
    travels(answered)
    assert [row_key_of(row) for row in answered.data.models] == [("one",), ("two",)]


def test_numbers_know_where_they_come_from(samples, unet):
    traced, written = asked(unet).data, asked(samples / "keras_mlp_train.graph.pb").data
    assert traced.time.step_us.kind is Kind.MEASURED
    assert {one.kind for one in written.peak_memory.values()} == {Kind.ESTIMATED}
    assert written.time.step_us.reason == "no run was given"
    captured = asked(samples / "tiny.xplane.pb").data
    assert captured.params.total.kind is captured.nodes.kind is Kind.UNKNOWN
    assert captured.nodes.reason == "no graph was given"


def layer(kind, name, **config):
    return {"class_name": kind, "config": {"name": name, **config}, "module": "keras.layers"}


@pytest.fixture
def keras_file(tmp_path):
    """Of a model whose weights are not there, with a layer that nobody knows."""
    layers = [
        layer("InputLayer", "in", batch_shape=[None, 4], dtype="float32"),
        layer("Dense", "known", units=3, use_bias=True),
        layer("Odd", "odd"),
    ]
    config = {"class_name": "Sequential", "config": {"name": "model", "layers": layers}}
    with zipfile.ZipFile(tmp_path / "model.keras", "w") as file:
        file.writestr("metadata.json", json.dumps({"keras_version": "3.0.0"}))
        file.writestr("config.json", json.dumps(config))
    return tmp_path / "model.keras"


def test_a_layer_that_is_not_known_makes_the_sum_unknown_and_leaves_its_known_part(keras_file):
    answered = asked(keras_file)
    found = answered.data
    travels(answered)
    assert told_apart(found.costliest)
    assert told_apart(found.keras.layers)
    assert found.costs.macs.kind is Kind.UNKNOWN
    assert "Odd" in found.costs.macs.reason
    assert str(found.known_work.macs) == "12*B"
    assert not found.known_work.is_all
    assert "at least 12 MACs·B" in str(Answer(answered))
