"""A training step in half precision: Keras updates in a branch."""

import os

import keras
import pytest
import tensorflow as tf
from keras_oracle import exported

import tfprof
from tfprof.analyses.graph.subgraph import TRAIN, subgraph
from tfprof.analyses.keras.keras_step import keras_step
from tfprof.wire import dtypes

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
    path = os.fspath(tmp_path / "mixed.keras")
    model.save(path)
    layers = tfprof.load(path).layers(mode="train", batch=BATCH).to_dict()["data"]
    assert layers["total"]["macs"] == 3 * BATCH * (784 * 256 + 256 * 200 + 200 * 10) - BATCH * (
        784 * 256
    )


def test_a_file_looks_at_its_gradients_as_the_traced_step_does(model, tmp_path):
    path = os.fspath(tmp_path / "mixed.keras")
    model.save(path)
    step = keras_step(tfprof.load(path).data.keras, {"B": BATCH}, train=True)
    ops = [op.site for op in step.training.costs.ops]
    looked_at = [one.call.inputs[0].shape for one in ops if one.op == "IsFinite"]
    assert looked_at == [tuple(v.shape) for v in model.trainable_variables]
    # what is multiplied is half as wide, but in the last layer; what updates a weight is not
    products = [one for one in ops if one.op == "MatMul"]
    half = [one for one in products if one.call.outputs[0].dtype == dtypes.HALF]
    assert (len(half), len(products)) == (5, 8)
    assert {one.call.inputs[0].dtype for one in ops if one.op == "Square"} == {dtypes.FLOAT}
