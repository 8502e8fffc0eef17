"""A size that is not known is never counted as nothing: not in a peak, not in a batch that fits."""

import json
import zipfile

import pytest
from run_cli import run

import tfprof
from tfprof.errors import InputMissing
from tfprof.model.quantity import Kind
from tfprof.reports import memory

DENSE = {"class_name": "Dense", "module": "keras.layers", "config": {"name": "dense", "units": 16}}
LAST = {"class_name": "Dense", "module": "keras.layers", "config": {"name": "last", "units": 4}}
CUSTOM = {"class_name": "Mine", "registered_name": "mine>Mine", "config": {"name": "mine"}}
LAMBDA = {"class_name": "Lambda", "module": "keras.layers", "config": {"name": "twice"}}
EMBEDDING = {
    "class_name": "Embedding",
    "module": "keras.layers",
    "config": {"name": "words", "input_dim": 100, "output_dim": 8},
}
MODELS = {
    "custom": ([8], [DENSE, CUSTOM, LAST], "mine (Unknown layer class Mine), 1 layer after"),
    "nothing known": ([8], [CUSTOM], "mine (Unknown layer class Mine)"),
    "lambda": ([8], [DENSE, LAMBDA, LAST], "twice (Unknown layer class Lambda), 1 layer after"),
    "open length": ([None], [EMBEDDING, DENSE], "--dim S=128 tells"),
}


def saved(folder, shape, layers):
    """A .keras file of a model with these layers, without weights."""
    first = {
        "class_name": "InputLayer",
        "module": "keras.layers",
        "config": {"name": "x", "batch_shape": [None, *shape], "dtype": "float32"},
    }
    config = {"name": "small", "layers": [first, *layers]}
    model = {"class_name": "Sequential", "module": "keras", "config": config}
    path = folder / "small.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(model))
        archive.writestr("metadata.json", json.dumps({"keras_version": "3.10.0"}))
    return path


@pytest.mark.parametrize("name", MODELS)
def test_of_layers_that_are_not_known_no_batch_is_known_to_fit(name, tmp_path):
    shape, layers, said = MODELS[name]
    path = saved(tmp_path, shape, layers)
    found = memory.ask(tfprof.load(path).data, memory.Query(budget=10**9))
    (device,) = found.data.devices.values()
    assert device.peak_bytes.kind in (Kind.AT_LEAST, Kind.UNKNOWN)
    assert device.total_bytes.kind in (Kind.AT_LEAST, Kind.UNKNOWN)
    assert device.peak_bytes.value != 0
    assert (device.pieces, device.interval[1]) == ((), None)
    fits = found.data.fits
    assert (fits.max_batch, fits.safe_batch) == (None, None)
    assert said in fits.unknown
    assert any(one.startswith("max_batch, safe_batch: ") for one in found.warnings)
    shown = " ".join(run("memory", path, "--device-memory", "1GB").out.split())
    assert "no batch is known to fit in 1.000 GB" in shown
    assert said in shown
    assert "as nothing" not in shown


@pytest.mark.parametrize("name", MODELS)
def test_python_gets_no_peak_where_sizes_are_missing(name, tmp_path):
    shape, layers, said = MODELS[name]
    with pytest.raises(InputMissing, match="the peak is not known") as raised:
        tfprof.peak_memory(saved(tmp_path, shape, layers))
    assert said in str(raised.value)


def test_a_size_that_is_given_makes_a_number(tmp_path):
    path = saved(tmp_path, [None], [EMBEDDING, DENSE])
    one, two = (tfprof.peak_memory(path, 4, dims={"S": length})["/cpu:0"] for length in (5, 10))
    assert 0 < one < two
    assert "fits" not in run("memory", path, "--dim", "S=5").out


def test_what_is_fed_has_to_fit_as_well(tmp_path):
    path = saved(tmp_path, [8], [{**LAST, "config": {"name": "last", "units": 3}}])
    fits = memory.ask(tfprof.load(path).data, memory.Query(budget=10**9)).data.fits
    # 12 bytes for three results, 32 for the eight numbers that are fed, and 27 parameters
    assert fits.max_batch == (10**9 - 27 * 4) // (12 + 32)
    assert fits.bound_by == "inputs"


def test_where_nothing_grows_with_the_batch_none_is_known_to_fit(samples):
    data = tfprof.load(samples / "traced_step/graph.pb", vars=samples / "traced_step/vars.json")
    answer = data.memory(device_memory=10**9)
    fits = answer.result.data.fits
    assert (fits.max_batch, fits.unknown) == (None, "nothing in this step depends on the batch")


def test_a_traced_step_without_its_variables_is_at_least_so_much(samples):
    path = samples / "traced_step/graph.pb"
    found = memory.ask(tfprof.load(path).data, memory.Query())
    (device,) = found.data.devices.values()
    assert device.peak_bytes.kind is Kind.AT_LEAST
    assert device.persistent_bytes.kind is Kind.UNKNOWN
    with pytest.raises(InputMissing, match="--vars FILE"):
        tfprof.peak_memory(path)


def test_a_summary_says_so_as_well(samples):
    answer = tfprof.load(samples / "traced_step/graph.pb").summary()
    (peak,) = answer.result.data.peak_memory.values()
    assert peak.kind is Kind.AT_LEAST
    assert any(one.startswith("peak_memory: ") for one in answer.warnings)
    shown = " ".join(str(answer).split())
    assert "≥320 B at the peak" in shown
    assert "no batch is known to fit: 19 tensors of unknown size" in shown


def test_what_an_op_makes_that_nobody_understands_is_missing(tmp_path):
    """Nobody reads it either, so that no other op lacks a size."""
    letters = "a" * 2000
    path = tmp_path / "graph.pbtxt"
    path.write_text(
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }'
        ' attr { key: "shape" value { shape { dim { size: 8 } dim { size: 16 } } } } }\n'
        'node { name: "z" op: "Einsum" input: "x" attr { key: "T" value { type: DT_FLOAT } }'
        f' attr {{ key: "equation" value {{ s: "{letters}->{letters}" }} }} }}\n'
    )
    (device,) = tfprof.load(path).memory().to_dict()["data"]["devices"].values()
    assert device["peak_bytes"] is None
    (row,) = tfprof.load(path).layers().to_dict()["data"]["rows"]
    assert row["peak_bytes"] is None
