"""Five pipelines that keep a model waiting, each made and captured here; then the advice is taken.

The map and the model share the cores then. What the advice expects of a step is compared with what
it takes, by the clock: on a machine that is busy with something else this tells nothing.
"""

import os
import time
from statistics import median

import pytest
import tensorflow as tf

import tfprof

pytestmark = [pytest.mark.long, pytest.mark.alone, pytest.mark.timeout(600)]

# batch, channels of the model, resizes of the map
PAIRS = [(16, 16, 60), (16, 32, 60), (32, 16, 40), (8, 32, 100), (16, 24, 80)]
CAPTURED, STEPS = range(8, 18), 40
_BUSY = 0.25


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
    """When steps begin; some of them are captured if there is a folder for it."""

    def __init__(self, folder=None):
        super().__init__()
        self.folder, self.begins = folder, []

    def on_train_batch_begin(self, batch, logs=None):  # noqa: ARG002  (Keras' own)
        if self.folder is not None and batch == CAPTURED[0]:
            tf.profiler.experimental.start(str(self.folder))
        self.marker = tf.profiler.experimental.Trace("train", step_num=batch, _r=1)
        self.marker.__enter__()
        self.begins.append(time.perf_counter())

    def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
        self.marker.__exit__(None, None, None)
        if self.folder is not None and batch == CAPTURED[-1]:
            tf.profiler.experimental.stop()

    @property
    def usual_us(self):
        """Of the second half of the steps."""
        times = [b - a for a, b in zip(self.begins, self.begins[1:], strict=False)]
        return 1e6 * median(times[STEPS // 2 :])


def _trained(dataset, channels, timed):
    _model(channels).fit(
        dataset, steps_per_epoch=STEPS, shuffle=False, verbose=0, callbacks=[timed]
    )
    return timed.usual_us


def _cores_of_others(seconds=0.5):
    """How many cores are busy while we sleep."""

    def busy():
        with open("/proc/stat", encoding="ascii") as file:  # noqa: PTH123
            fields = list(map(int, file.readline().split()[1:]))
        return (sum(fields[:8]) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")

    began = busy()
    time.sleep(seconds)
    return (busy() - began) / seconds


def _miss(folder, batch, channels, resizes):
    """What the advice expects of a step, over what it takes; and both."""
    numbers, element = tf.data.Dataset.range(10**6), _element(resizes)
    # as it is written: else tf.data makes one stage of map and batch, and runs it in parallel
    plain = tf.data.Options()
    plain.experimental_optimization.apply_default_optimizations = False
    plain.autotune.enabled = False
    slow = numbers.map(element).batch(batch).with_options(plain)
    _trained(slow, channels, _Timed(folder))
    (found,) = (
        one for one in tfprof.load(folder).advise(all=True).to_dict()["data"]["findings"]
        if one["rule"].startswith("input-")
    )  # fmt: skip
    autotune = tf.data.AUTOTUNE
    ahead = numbers.map(element, num_parallel_calls=autotune).batch(batch).prefetch(autotune)
    took = _trained(ahead, channels, _Timed())
    gain = found["gain"]
    return found, gain["before"], gain["after"], took


def test_the_step_that_is_expected_comes(tmp_path):
    if not any(_cores_of_others() <= _BUSY for _ in range(60)):
        pytest.skip("the machine is busy: the clock would tell of others")
    misses = []
    for number, pair in enumerate(PAIRS):
        found, before, after, took = _miss(tmp_path / str(number), *pair)
        assert found["severity"] == "problem"
        assert "Map" in found["stage"]
        misses.append(abs(after / took - 1))
        print(f"| {pair} | {before / 1e3:.1f} ms | {after / 1e3:.1f} ms | {took / 1e3:.1f} ms | "
              f"{after / took - 1:+.0%} |")  # fmt: skip
    assert median(misses) < 0.2
