"""Captures two variants of a small model in turn: the same program, or one with a slower layer.

python tests/diff_captures.py FOLDER SEED FACTOR

Writes FOLDER/before-1, after-1, before-2, … of 30 steps each. The layer `heavy` takes over a
quarter of a step; in the variant called after, it has FACTOR times the work.
"""

import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import keras
import numpy as np
import tensorflow as tf

WIDTH, STEPS, CAPTURES, PRODUCTS = 256, 32, 3, 10


class Heavy(keras.layers.Layer):
    """The same product again and again: twice as often takes twice as long."""

    def __init__(self, products, **words):
        super().__init__(**words)
        self.products = products

    def build(self, shape):
        self.square = self.add_weight(shape=(shape[-1], shape[-1]), name="square")

    def call(self, x):
        for _ in range(self.products):
            x = tf.matmul(x, self.square)
        return x


def training_step(products, seed):
    keras.backend.clear_session()  # names are numbered from the start again
    keras.utils.set_random_seed(seed)
    model = keras.Sequential(
        [
            keras.Input((WIDTH,)),
            keras.layers.Dense(512, activation="relu", name="first"),
            keras.layers.Dense(512, activation="relu", name="second"),
            keras.layers.Dense(WIDTH, activation="relu", name="third"),
            Heavy(products, name="heavy"),
            keras.layers.Dense(10, name="last"),
        ]
    )
    optimizer = keras.optimizers.SGD()
    loss = keras.losses.MeanSquaredError()

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            lost = loss(y, model(x, training=True))
        gradients = tape.gradient(lost, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return lost

    return step


def capture(step, batch, folder):
    options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=3)
    for _ in range(10):
        step(*batch)
    tf.profiler.experimental.start(str(folder), options=options)
    for number in range(STEPS):
        with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
            step(*batch).numpy()
    tf.profiler.experimental.stop()


def main(folder, seed, factor):
    # threads that fight for two cores are no noise of a program
    tf.config.threading.set_intra_op_parallelism_threads(1)
    random = np.random.default_rng(seed)
    x = random.normal(0, 1, (512, WIDTH)).astype("float32")
    batch = tf.constant(x), tf.constant(x[:, :10])
    products = {"before": PRODUCTS, "after": round(PRODUCTS * factor)}
    steps = {name: training_step(count, seed) for name, count in products.items()}
    for number in range(1, CAPTURES + 1):
        for name, step in steps.items():
            capture(step, batch, folder / f"{name}-{number}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
