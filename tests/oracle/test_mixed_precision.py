"""A training step in half precision: Keras updates in a branch."""

import os

import keras
import numpy as np
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


@pytest.fixture(scope="module")
def convolved():
    before = keras.mixed_precision.global_policy()
    keras.mixed_precision.set_global_policy("mixed_float16")
    layers = [
        keras.Input((128, 128, 3)),
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10, dtype="float32"),
    ]
    made = keras.Sequential(layers)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    made.compile("adam", loss, jit_compile=False)
    made.optimizer.build(made.trainable_variables)
    keras.mixed_precision.set_global_policy(before)
    return made


@pytest.fixture(scope="module")
def measured(convolved):
    """What a step of it took in each of five runs, with Grappler off."""
    specs = {"x": tf.TensorSpec((1, 128, 128, 3)), "y": tf.TensorSpec((1,), tf.int32)}
    step = tf.function(lambda x, y: convolved.train_step((x, y))["loss"])
    traced = step.get_concrete_function(**specs).graph
    runs = [tf.compat.v1.RunMetadata() for _ in range(5)]
    with tf.Graph().as_default() as graph:
        handles = {
            inside.op.name: tf.raw_ops.VarHandleOp(
                dtype=about.dtype, shape=about.shape, shared_name=inside.op.name
            )
            for outside, inside in traced.captures
            for about in outside._handle_data.shape_and_type
        }
        # with a loss scale of 1: nothing is a number that is none
        starts = [
            tf.raw_ops.AssignVariableOp(
                resource=one, value=tf.ones(one.op.get_attr("shape"), one.op.get_attr("dtype"))
            )
            for one in handles.values()
        ]
        tf.graph_util.import_graph_def(traced.as_graph_def(), handles, name="")
        wanted = [*traced.outputs, *traced.control_outputs]
        with tf.compat.v1.Session(graph=graph, config=as_written()) as session:
            session.run(starts)
            options = tf.compat.v1.RunOptions(trace_level=3)
            feeds = {"x:0": np.ones((1, 128, 128, 3), np.float32), "y:0": [3]}
            for run in runs:
                session.run([one.name for one in wanted], feeds, options, run)
    return runs


def as_written():
    config = tf.compat.v1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


@pytest.mark.alone
def test_gradients_of_a_half_precision_file_are_halves_as_in_a_run(convolved, measured, tmp_path):
    path = os.fspath(tmp_path / "convolved.keras")
    convolved.save(path)
    found = tfprof.load(path).memory(mode="train", batch=1).to_dict()["data"]["devices"]["/cpu:0"]
    at_once = {(row["kind"], row["op"], row["bytes"]) for row in found["live_at_peak"]}
    image, half = 126 * 126 * 16, 2
    assert ("gradients", "Conv2DBackpropInput", image * half) in at_once
    assert ("activations", "Relu", image * half) in at_once
    assert not any(size == image * 4 for *_, size in at_once)
    taken = [
        record.alloc_bytes
        for run in measured
        for device in run.step_stats.dev_stats
        for node in device.node_stats
        if "/Conv2DBackpropInput" in node.node_name
        for memory in node.memory
        for record in memory.allocation_records
        if record.alloc_bytes > 0
    ]
    # to the next 64 bytes, and what the allocator keeps beside
    assert any(image * half <= one <= image * half + 256 for one in taken)
    assert not any(image * 4 <= one <= image * 4 + 256 for one in taken)
    # the kernels that multiply halves take so long that those of one layer overlap: 37,042,667;
    # of ten runs two had those of both layers at once, 53,185,975, and a busy machine has them one
    # after the other, 32,106,374
    low, high = found["interval"]
    peaks = [tfprof.peak_memory(run)["/cpu:0"] for run in measured]
    assert sum(low <= one <= high for one in peaks) >= 4, peaks
