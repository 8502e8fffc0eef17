"""Five pipelines that keep a model waiting, each made and captured here; then the advice is taken.

The map and the model share the cores then. What the advice expects of a step is compared with what
it takes, by the clock: on a machine that is busy with something else this tells nothing, and is
not judged. In the first pairs the map has nearly all of the work, in the last two thirds are the
model's.
"""

import time
from statistics import median

import pytest
import tensorflow as tf
from quiet import quietly

import tfprof
import tfprof.keras

pytestmark = [pytest.mark.long, pytest.mark.alone, pytest.mark.timeout(600)]

# batch, channels of the model, resizes of the map
PAIRS = [(16, 16, 60), (16, 32, 60), (32, 16, 40), (8, 32, 100), (32, 64, 20)]
CAPTURED, STEPS = (9, 18), 40


def _model(channels):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((64, 64, 3)),
            layers.Conv2D(channels, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(channels, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def _element(resizes):
    def made(number):
        image = tf.random.stateless_uniform([64, 64, 3], [tf.cast(number, tf.int32), 0])
        for _ in range(resizes):
            image = tf.image.resize(tf.image.resize(image, [160, 160]), [64, 64])
        return image, tf.cast(number % 10, tf.int32)

    return made


class _Timed(tf.keras.callbacks.Callback):
    """When steps begin."""

    def __init__(self):
        super().__init__()
        self.begins = []

    def on_train_batch_begin(self, batch, logs=None):  # noqa: ARG002  (Keras' own)
        self.begins.append(time.perf_counter())

    @property
    def usual_us(self):
        """Of the second half of the steps."""
        times = [b - a for a, b in zip(self.begins, self.begins[1:], strict=False)]
        return 1e6 * median(times[STEPS // 2 :])


def _trained(dataset, channels, *callbacks):
    timed = _Timed()
    _model(channels).fit(
        dataset, steps_per_epoch=STEPS, shuffle=False, verbose=0, callbacks=[timed, *callbacks]
    )
    return timed.usual_us


def _miss(folder, batch, channels, resizes):
    """What the advice expects of a step, and what it takes."""
    numbers, element = tf.data.Dataset.range(10**6), _element(resizes)
    # as it is written: else tf.data makes one stage of map and batch, and runs it in parallel
    plain = tf.data.Options()
    plain.experimental_optimization.apply_default_optimizations = False
    plain.autotune.enabled = False
    slow = numbers.map(element).batch(batch).with_options(plain)
    _trained(slow, channels, tfprof.keras.Profiler(folder, batches=CAPTURED, report=False))
    (found,) = (
        one for one in tfprof.load(folder).advise(all=True).to_dict()["data"]["findings"]
        if one["rule"].startswith("input-")
    )  # fmt: skip
    autotune = tf.data.AUTOTUNE
    ahead = numbers.map(element, num_parallel_calls=autotune).batch(batch).prefetch(autotune)
    return found, _trained(ahead, channels)


def test_the_step_that_is_expected_comes(tmp_path):
    misses = []
    for number, pair in enumerate(PAIRS):
        folder = tmp_path / str(number)
        found, took = quietly(lambda again: _miss(folder / str(again), *pair))  # noqa: B023  (now)
        gain = found["gain"]
        before, after = gain["before"], gain["after"]
        assert found["severity"] == "problem"
        assert "Map" in found["stage"]
        assert "measured" in gain["model"]
        misses.append(abs(after / took - 1))
        print(f"| {pair} | {before / 1e3:.1f} ms | {after / 1e3:.1f} ms | {took / 1e3:.1f} ms | "
              f"{after / took - 1:+.0%} |")  # fmt: skip
    assert median(misses) < 0.2
