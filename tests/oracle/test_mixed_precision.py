"""A training step in half precision: what Keras traces, against what its file tells."""

import os

import keras
import pytest
import tensorflow as tf
from keras_oracle import exported

import tfprof
from tfprof.analyses.graph.subgraph import TRAIN, subgraph
from tfprof.analyses.inference.sites import Given
from tfprof.analyses.memory.estimator import Estimator, memory_model
from tfprof.analyses.memory.step_sources import GraphSteps

BATCH = 8


@pytest.fixture
def model():
    """Keras scales the loss by itself, and updates nothing unless all gradients are numbers."""
    before = keras.mixed_precision.global_policy()
    keras.mixed_precision.set_global_policy("mixed_float16")
    layers = [
        keras.Input((784,)),
        keras.layers.Dense(256, activation="relu"),
        keras.layers.Dense(200, activation="relu"),
        keras.layers.Dense(10, dtype="float32", activation="softmax"),
    ]
    made = keras.Sequential(layers)
    made.compile("adam", "sparse_categorical_crossentropy", jit_compile=False)
    made.optimizer.build(made.trainable_variables)
    keras.mixed_precision.set_global_policy(before)
    return made


def test_a_step_that_updates_in_a_branch_trains(model, tmp_path):
    specs = tf.TensorSpec((BATCH, 784)), tf.TensorSpec((BATCH,), tf.int32)
    step = tf.function(lambda x, y: model.train_step((x, y))).get_concrete_function(*specs)
    traced = exported(step).data
    part = subgraph(traced)
    assert (part.mode, part.what) == (TRAIN, "one training step")
    steps = GraphSteps(traced, part, Given({"B": BATCH}))
    (peak,) = Estimator(steps, memory_model("cpu-tf")).at(BATCH).values()

    path = os.fspath(tmp_path / "mixed.keras")
    model.save(path)
    found = tfprof.load(path).memory(batch=BATCH, mode="train").to_dict()["data"]
    (device,) = found["devices"].values()
    assert abs(device["peak_bytes"] - peak.expected) < 64
    # what the gradients are before they are cast for the update
    layers = tfprof.load(path).layers(mode="train", batch=BATCH).to_dict()["data"]
    assert layers["total"]["macs"] == 3 * BATCH * (784 * 256 + 256 * 200 + 200 * 10) - BATCH * (
        784 * 256
    )
