"""Parameters of a Keras file without weights, or without h5py: those of its configuration."""

import json
import subprocess
import sys
import zipfile

import keras
import pytest
from keras_models import encoder
from run_cli import environment

import tfprof

L = keras.layers

# what the plain install answers: h5py is not there
_ASKED = """
import json, sys
sys.modules["h5py"] = None
import tfprof
path = sys.argv[1]
summary = tfprof.load(path).summary().to_dict()["data"]
layers = tfprof.load(path).layers().to_dict()["data"]
memory = tfprof.load(path).memory(batch=1).to_dict()["data"]
print(json.dumps({
    "count": tfprof.parameter_count(path, which="model"),
    "summary": [summary["params"]["trainable"], summary["params"]["non_trainable"]],
    "kind": summary["params"].get("total_kind"),
    "optimizer": summary["params"]["optimizer"],
    "layers": sum(row["params"] or 0 for row in layers["rows"] if not row["call"]),
    "variables": sum(one["persistent_bytes"] for one in memory["devices"].values()),
}))
"""


def plain(path):
    ran = subprocess.run(
        [sys.executable, "-c", _ASKED, str(path)],
        env=environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(ran.stdout)


def residual():
    x = keras.Input((16, 16, 3))
    y = L.BatchNormalization()(L.Conv2D(4, 3, padding="same", trainable=False)(x))
    inner = keras.Sequential([keras.Input((16, 16, 4)), L.Conv2D(4, 1)], name="inner")
    y = L.Dropout(0.2)(L.Add()([y, inner(y)]))
    return keras.Model(x, L.Dense(3)(L.Flatten()(y)))


def words():
    x = keras.Input((None,), dtype="int32")
    y = L.Bidirectional(L.LSTM(4, return_sequences=True))(L.Embedding(11, 6)(x))
    return keras.Model(x, L.TimeDistributed(L.Dense(2))(y))


@pytest.mark.parametrize("make", [residual, words, encoder])
@pytest.mark.parametrize("compiled", [False, True])
def test_the_plain_install_counts_what_keras_counts(make, compiled, tmp_path):
    model = make()
    if compiled:
        model.compile("adam", "mse")
    path = tmp_path / "model.keras"
    model.save(path)
    trained = sum(one.size for one in map(keras.ops.convert_to_numpy, model.trainable_weights))
    every = model.count_params()
    found = plain(path)
    assert found["count"] == found["layers"] == every
    assert every == tfprof.parameter_count(path, which="model")
    assert trained == tfprof.parameter_count(path)
    assert found["summary"] == [trained, every - trained]
    assert found["kind"] is None  # not "at least": the input of a model inside is no riddle
    assert found["variables"] == every * 4
    # what the optimizer keeps is among the weights: not there if there is none, else unknown
    assert found["optimizer"] == (None if compiled else 0)
    stored = tfprof.load(path).summary().to_dict()["data"]["params"]
    assert [stored["trainable"], stored["non_trainable"]] == found["summary"]


def test_a_layer_that_is_not_known_leaves_at_least_the_others(tmp_path):
    model = residual()
    config = keras.saving.serialize_keras_object(model)
    config["config"]["layers"][2]["class_name"] = "Own"
    config["config"]["layers"][2]["module"] = "mine"
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(config))
    params = tfprof.load(path).summary().to_dict()["data"]["params"]
    assert params["total_kind"] == params["trainable_kind"] == "at_least"
    # without the batch normalisation
    assert params["total"] == model.count_params() - 16
