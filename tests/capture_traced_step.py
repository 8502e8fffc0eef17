"""How tests/data/traced_step was captured: three steps of a small Keras model by TensorFlow 2.

The graph of the step, the variables it captured, and the profiler's file. To capture it anew:

    python tests/capture_traced_step.py FOLDER
"""

import gzip
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import keras
import tensorflow as tf

BATCH, SIZE, STEPS = 16, 28, 3


def small():
    return keras.Sequential(
        [
            keras.Input((SIZE, SIZE, 1)),
            keras.layers.Conv2D(8, 3, activation="relu", name="first"),
            keras.layers.MaxPooling2D(name="pool"),
            keras.layers.Flatten(name="flat"),
            keras.layers.Dense(10, name="last"),
        ],
        name="small",
    )


def step_of(model):
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    images = tf.TensorSpec((BATCH, SIZE, SIZE, 1), name="images")
    labels = tf.TensorSpec((BATCH,), tf.int32, name="labels")

    @tf.function(input_signature=[images, labels])
    def step(images, labels):
        with tf.GradientTape() as tape:
            value = loss(labels, model(images, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
            variable.value.assign_sub(0.1 * gradient)
        return value

    return step


def captured(function):
    """Placeholder to shape and type, as `--vars` reads it."""
    by_handle = {id(variable.handle): variable for variable in function.graph.variables}
    return {
        placeholder.op.name: [
            by_handle[id(handle)].shape.as_list(),
            by_handle[id(handle)].dtype.name,
        ]
        for handle, placeholder in function.graph.captures
        if id(handle) in by_handle
    }


def main(folder):
    keras.utils.set_random_seed(1)
    step = step_of(small())
    images, labels = tf.random.normal((BATCH, SIZE, SIZE, 1)), tf.zeros((BATCH,), tf.int32)
    step(images, labels)
    with tempfile.TemporaryDirectory() as logs:
        tf.profiler.experimental.start(logs)
        for number in range(STEPS):
            with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
                step(images, labels)
        tf.profiler.experimental.stop()
        (capture,) = Path(logs).rglob("*.xplane.pb")
        _write(folder / "vm.xplane.pb.gz", capture.read_bytes())
    function = step.get_concrete_function()
    _write(folder / "graph.pb.gz", function.graph.as_graph_def().SerializeToString())
    (folder / "vars.json").write_text(json.dumps(captured(function), indent=1) + "\n")


def _write(path, data):
    path.write_bytes(gzip.compress(data, 9, mtime=0))


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    main(target)
