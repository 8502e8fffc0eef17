"""`tfprof.keras.Profiler` in real fits of Keras 3 and of tf_keras."""

import copy
import gc
import json
import subprocess
import sys
import time

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from referees import old_tensorflow

import tfprof
import tfprof.keras
from tfprof.errors import UsageError

ROWS, WIDTH = 64, 12
X, Y = np.ones((ROWS, WIDTH), "float32"), np.ones((ROWS, 1), "float32")
BOTH = pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras3", "tf_keras"])


def _model(library, **options):
    layers = library.layers
    begin = library.Input((WIDTH,)) if library is keras else layers.InputLayer((WIDTH,))
    model = library.Sequential([begin, layers.Dense(8, name="hidden"), layers.Dense(1, name="out")])
    model.compile("adam", "mse", **options)
    return model


def _data(batch=8):
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(batch)


def _record(folder):
    return json.loads((folder / "rank-0" / "run.json").read_text())


def _asked(folder, question):
    return getattr(tfprof.load(folder / "rank-0"), question)().to_dict()["data"]


def _layer_rows(folder):
    """The rows of `layers` for the layers of the model, in its order.

    Called by the layers' own names, or by what their scopes are called in the graph.
    """
    rows = {row["layer"]: row for row in _asked(folder, "layers")["rows"]}
    layers = _record(folder)["model"]["layers"]
    own = [layer["name"] for layer in layers]
    scopes = [layer["scope"].rpartition("/")[2] for layer in layers]
    return [rows[name] for name in (own if set(own) <= set(rows) else scopes)]


def _numbers(folder):
    return [step["step"] for step in _asked(folder, "steps")["steps"]]


def _napper(library):
    class Napper(library.callbacks.Callback):
        def on_epoch_end(self, *_, **__):
            time.sleep(0.05)

    return Napper()


def _left_behind(thing):
    """The attributes of an object that are functions of ours."""
    code = {name: getattr(value, "__code__", None) for name, value in vars(thing).items()}
    return [name for name, one in code.items() if one and "tfprof" in one.co_filename]


@BOTH
def test_an_epoch_is_told_and_batches_are_captured(tmp_path, capsys, library):
    model = _model(library)
    saver = library.callbacks.ModelCheckpoint(
        str(tmp_path / "w.weights.h5"), save_weights_only=True
    )
    napper = _napper(library)
    profiler = tfprof.keras.Profiler(tmp_path / "logs", batches=(3, 6))
    history = model.fit(
        _data(),
        epochs=2,
        verbose=0,
        shuffle=False,
        validation_data=_data(),
        callbacks=[profiler, napper, saver],
    )
    assert len(history.history["loss"]) == 2
    assert "evaluate" not in vars(model)
    assert not any(map(_left_behind, (model, napper, saver)))
    told = _record(tmp_path / "logs")
    assert _numbers(tmp_path / "logs") == [3, 4, 5, 6]
    assert (told["steps"]["kind"], told["steps"]["count"], told["batch"]) == ("fit", 16, 8)
    assert [epoch["epoch"] for epoch in told["epochs"]] == [1, 2]
    for epoch in told["epochs"]:
        parts = [value for name, value in epoch.items() if name.endswith("_s")]
        assert sum(parts) <= epoch["seconds"]
        assert epoch["callbacks_s"] >= 0.05
        assert epoch["validation_s"] > 0
        assert epoch["checkpoint_s"] > 0
        assert epoch["data_s"] is not None
    said = capsys.readouterr().err
    assert "tfprof: epoch 1 took " in said
    assert "Napper 0.05" in said
    summary = _asked(tmp_path / "logs", "summary")
    assert summary["params"]["trainable"] == WIDTH * 8 + 8 + 8 + 1
    assert summary["time"]["step_us"] > 0
    hidden, out = _layer_rows(tmp_path / "logs")
    assert (hidden["params"], out["params"]) == (WIDTH * 8 + 8, 8 + 1)
    assert hidden["time_us"] > 0


@BOTH
def test_several_steps_at_once(tmp_path, library):
    model = _model(library, steps_per_execution=4)
    profiler = tfprof.keras.Profiler(tmp_path, report=False)
    model.fit(_data(2), epochs=1, verbose=0, shuffle=False, callbacks=[profiler])
    told = _record(tmp_path)
    assert told["steps"]["per_execution"] == 4
    assert told["steps"]["count"] == 32
    assert _numbers(tmp_path) == [9, 13]


@BOTH
def test_a_compiled_step(tmp_path, library):
    model = _model(library, jit_compile=True)
    profiler = tfprof.keras.Profiler(tmp_path, report=False)
    model.fit(_data(), epochs=1, verbose=0, shuffle=False, callbacks=[profiler])
    assert _numbers(tmp_path) == [3, 4, 5, 6, 7]
    assert _asked(tmp_path, "summary")["params"]["trainable"] == 113
    if not old_tensorflow():  # which records nothing of what XLA compiled
        assert _asked(tmp_path, "summary")["time"]["op_us"] > 0


@BOTH
@pytest.mark.parametrize("mode", ["evaluate", "predict"])
def test_without_training(tmp_path, library, mode):
    model = _model(library)
    model.fit(_data(), epochs=1, verbose=0, shuffle=False)
    profiler = tfprof.keras.Profiler(tmp_path, batches=(3, 5))
    getattr(model, mode)(_data(), verbose=0, callbacks=[profiler])
    told = _record(tmp_path)
    assert told["steps"]["kind"] == mode
    assert _numbers(tmp_path) == [3, 4, 5]


def test_batches_of_each_epoch(tmp_path, capsys):
    profiler = tfprof.keras.Profiler(tmp_path, batches=(2, 3), per_epoch=True, keep=2)
    _model(keras).fit(X, Y, batch_size=8, epochs=4, verbose=0, callbacks=[profiler])
    told = _record(tmp_path)["captures"]
    assert [(one["first_step"], one["why"]) for one in told][-2:] == [(18, "epoch"), (26, "epoch")]
    assert len(told) in (2, 3)
    assert capsys.readouterr().err.count("took") == 4


def test_fits_one_after_another_are_counted_on(tmp_path):
    model = _model(keras)
    profiler = tfprof.keras.Profiler(tmp_path, batches=(10, 12), report=False)
    for _ in range(2):
        model.fit(X, Y, batch_size=8, verbose=0, callbacks=[profiler])
    model.evaluate(X, Y, verbose=0, callbacks=[profiler])
    told = _record(tmp_path)
    assert _numbers(tmp_path) == [10, 11, 12]
    assert (told["steps"]["kind"], told["steps"]["count"]) == ("fit", 16)
    assert len(told["epochs"]) == 2
    assert [one["role"] for one in told["functions"]].count("step") == 1


def test_numbers_go_on_from_the_optimizers_own_count(tmp_path):
    model = _model(keras)
    model.optimizer.iterations.assign(1000)
    profiler = tfprof.keras.Profiler(tmp_path, batches=(5, 6), every=100, report=False)
    model.fit(X, Y, batch_size=8, verbose=0, callbacks=[profiler])
    assert _numbers(tmp_path) == [1005, 1006]


@BOTH
def test_an_exception_in_another_callback_leaves_nothing_behind(tmp_path, library):
    class Breaks(library.callbacks.Callback):
        def on_train_batch_end(self, batch, *_, **__):
            if batch >= 5:
                raise ZeroDivisionError

    model = _model(library)
    callbacks = [tfprof.keras.Profiler(tmp_path, batches=(2, 9)), Breaks()]
    with pytest.raises(ZeroDivisionError):
        model.fit(_data(), epochs=1, verbose=0, shuffle=False, callbacks=callbacks)
    gc.collect()
    assert "evaluate" not in vars(model)
    assert not _left_behind(model)
    told = _record(tmp_path)
    assert told["state"] == "failed"
    assert told["captures"][0]["complete"] is False
    model.fit(_data(), epochs=1, verbose=0, shuffle=False)


@pytest.mark.filterwarnings("ignore:Your input ran out of data")
def test_data_that_ends_earlier_than_told_counts_no_step(tmp_path):
    """Only when it asks once more does Keras learn that there is no more."""

    def rows():
        for _ in range(5):
            yield X[:8], Y[:8]

    spec = tf.TensorSpec([8, WIDTH], tf.float32), tf.TensorSpec([8, 1], tf.float32)
    data = tf.data.Dataset.from_generator(rows, output_signature=spec)
    profiler = tfprof.keras.Profiler(tmp_path, batches=(2, 3), report=False)
    _model(keras).fit(data, verbose=0, shuffle=False, callbacks=[profiler])
    assert _record(tmp_path)["steps"]["count"] == 5


def test_slips_are_told_when_the_callback_is_made(tmp_path):
    for words in ({"batches": "x"}, {"batches": (5, 2)}, {"every": 0}, {"max_size": "much"}):
        with pytest.raises(UsageError):
            tfprof.keras.Profiler(tmp_path, **words)


def test_a_model_is_copied_and_saved_as_without_us(tmp_path):
    model = _model(keras)
    model.fit(X, Y, verbose=0, callbacks=[tfprof.keras.Profiler(tmp_path / "logs", report=False)])
    if not old_tensorflow():  # the Keras beside it fails to copy any model that is built
        copy.deepcopy(model)
    model.save(tmp_path / "model.keras")


_SCRIPT = """
import os, sys, json
import tensorflow as tf
import tfprof.keras
profiler = tfprof.keras.Profiler(sys.argv[1], memory=True, report=False)
import keras
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
model.fit(tf.ones([64, 8]), tf.ones([64, 1]), batch_size=8, verbose=0, callbacks=[profiler])
assert "tensorboard" not in sys.modules
"""


def test_two_devices_with_memory_and_without_tensorboard(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = _record(tmp_path)
    assert told["strategy"] == "MirroredStrategy"
    assert len(told["devices"]) == 2
    assert _numbers(tmp_path) == [3, 4, 5, 6, 7]
    assert _asked(tmp_path, "summary")["macs"] is not None
    rows = _layer_rows(tmp_path)
    # each device has a copy, and the graph is of both
    assert [row["params"] for row in rows] == [2 * 36, 2 * 5]
    assert all(row["time_us"] > 0 for row in rows)
    memory = _asked(tmp_path, "memory")["devices"]
    assert max(device["peak_bytes"] for device in memory.values()) > 0
