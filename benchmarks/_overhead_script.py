"""A training script whose steps are timed: `_overhead_script.py LAYOUT OUT STEPS [FIRST LAST]`.

It knows nothing of tfprof. With FIRST and LAST, TensorFlow's own profiler records these steps; the
first step is 1. When each step began, by the clock and in CPU seconds of the process, is written to
OUT. All of it runs on one core with one thread for the ops: what anybody does beside the training
is paid for by the training, and threads do not fight for cores.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

if hasattr(os, "sched_setaffinity"):  # before TensorFlow counts the cores
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import keras
import numpy as np
import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
BATCH, SIZE = 16, 40


class OwnProfiler:
    """TensorFlow's, around the steps asked for, each marked as its guide says."""

    def __init__(self, first: int, last: int) -> None:
        self._first, self._last = first, last
        self._folder = tempfile.TemporaryDirectory()
        self._mark: tf.profiler.experimental.Trace | None = None

    def begin(self, step: int) -> None:
        if step == self._first:
            tf.profiler.experimental.start(self._folder.name)
        if self._first <= step <= self._last:
            self._mark = tf.profiler.experimental.Trace("train", step_num=step, _r=1)
            self._mark.__enter__()

    def end(self, step: int) -> None:
        if self._mark is not None:
            self._mark.__exit__(None, None, None)
            self._mark = None
        if step == self._last:
            tf.profiler.experimental.stop()


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _data() -> tf.data.Dataset:
    rows = np.random.default_rng(1)
    images = rows.normal(0, 1, (BATCH * 8, SIZE, SIZE, 3)).astype("float32")
    labels = rows.integers(0, 10, BATCH * 8)
    pairs = tf.data.Dataset.from_tensor_slices((images, labels)).repeat()
    return pairs.batch(BATCH).prefetch(2)


def _model() -> keras.Model:
    keras.utils.set_random_seed(1)
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((SIZE, SIZE, 3)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(10, activation="softmax"),
        ]
    )


def fit(steps: int, own: OwnProfiler) -> list[tuple[float, float]]:
    began: list[tuple[float, float]] = []

    class Clock(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch: int, logs: object = None) -> None:  # noqa: ARG002  (Keras names it)
            began.append(_now())
            own.begin(batch + 1)

        def on_train_batch_end(self, batch: int, logs: object = None) -> None:  # noqa: ARG002
            own.end(batch + 1)

    model = _model()
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(_data(), steps_per_epoch=steps, epochs=1, verbose=0, callbacks=[Clock()])
    return [*began, _now()]


def loop(steps: int, own: OwnProfiler) -> list[tuple[float, float]]:
    model, optimizer = _model(), keras.optimizers.Adam()
    compare = keras.losses.SparseCategoricalCrossentropy()

    @tf.function
    def train_step(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = compare(labels, model(images, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    began: list[tuple[float, float]] = []
    for step, (images, labels) in enumerate(_data().take(steps), 1):
        began.append(_now())
        own.begin(step)
        train_step(images, labels).numpy()
        own.end(step)
    return [*began, _now()]


if __name__ == "__main__":
    layout, out, count, *window = sys.argv[1:]
    first, last = map(int, window) if window else (0, 0)
    times = {"fit": fit, "loop": loop}[layout](int(count), OwnProfiler(first, last))
    Path(out).write_text(json.dumps(times))
