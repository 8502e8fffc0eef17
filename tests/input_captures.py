"""Captures runs of which it is known what their input pipelines wait for.

    python tests/input_captures.py FOLDER

Each pipeline is a function here and says which stage sleeps. All run in one process: importing
TensorFlow takes longer.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import tensorflow as tf

STEPS = 8
AUTOTUNE = tf.data.AUTOTUNE
PLAIN = tf.data.Options()
# as it is written: without this, tf.data makes one stage of map and batch
PLAIN.experimental_optimization.apply_default_optimizations = False


def _numbers():
    return tf.data.Dataset.range(100_000)


def _sleeps(milliseconds):
    def slow(value):
        time.sleep(milliseconds / 1000)
        return value

    return lambda x: tf.ensure_shape(tf.numpy_function(slow, [x], tf.int64), [])


def _sleeping_numbers():
    number = 0
    while True:
        time.sleep(0.004)
        yield np.int64(number)
        number += 1


def map_alone():
    return _numbers().map(_sleeps(3)).batch(4).with_options(PLAIN), "BatchV2::Map"


def fused():
    return _numbers().map(_sleeps(6)).batch(4), "MapAndBatch"


def parallel_map():
    elements = _numbers().map(_sleeps(8), num_parallel_calls=2).shuffle(8)
    return elements.batch(4, num_parallel_calls=2).prefetch(2), "ParallelMapV2"


def generator():
    elements = tf.data.Dataset.from_generator(
        _sleeping_numbers, output_signature=tf.TensorSpec((), tf.int64)
    )
    return elements.map(lambda x: x + 1).batch(4).prefetch(2), "FlatMap::Generator"


def generator_of_batches():
    def batches():
        while True:
            time.sleep(0.016)
            yield np.zeros(4, np.int64)

    signature = tf.TensorSpec((4,), tf.int64)
    elements = tf.data.Dataset.from_generator(batches, output_signature=signature)
    return elements.prefetch(2), "FlatMap::Generator"


def map_of_batches():
    def slow(values):
        time.sleep(0.012)
        return values

    elements = _numbers().batch(4)
    elements = elements.map(lambda x: tf.numpy_function(slow, [x], tf.int64))
    return elements.with_options(PLAIN), "Root::Map"


def interleaved():
    """The function of the inner datasets sleeps; what is around it is quick."""
    files = tf.data.Dataset.range(4).interleave(
        lambda _: _numbers().map(_sleeps(8)), cycle_length=2, num_parallel_calls=2
    )
    return files.map(lambda x: x + 1).shuffle(4).batch(4).prefetch(AUTOTUNE), "InterleaveV4::Map"


def zipped():
    both = tf.data.Dataset.zip((_numbers().map(_sleeps(1)), _numbers().map(_sleeps(5))))
    return both.batch(2).map(lambda a, b: a + b).with_options(PLAIN), "Zip[1]::Map"


def copied():
    """What feeds a device is read by another pipeline."""
    elements = _numbers().map(_sleeps(4)).batch(4).with_options(PLAIN)
    return elements.apply(tf.data.experimental.copy_to_device("/cpu:1")).prefetch(1), "BatchV2::Map"


def cached():
    """All elements are there from the second epoch on."""
    elements = tf.data.Dataset.range(8).map(_sleeps(4)).cache().batch(4).repeat().prefetch(2)
    iterator = iter(elements)
    for _ in range(8):
        next(iterator)
    return iterator, None


def ahead():
    """Quick enough for the model, which takes longer."""
    return _numbers().map(_sleeps(0.5)).batch(4).prefetch(4), None


def one_slow_call():
    """Only one call waits: that is no bottleneck."""
    sleep = _sleeps(80)

    def once(x):
        return tf.cond(x == 4 * (STEPS // 2), lambda: sleep(x), lambda: x)

    return _numbers().map(once).batch(4).with_options(PLAIN), None


PIPELINES = [
    map_alone, fused, parallel_map, generator, generator_of_batches, map_of_batches, interleaved,
    zipped, copied, cached, ahead, one_slow_call,
]  # fmt: skip


def _step(number, *iterators, seconds=0.01):
    """How long it waited, by Python's clock; its work takes so many seconds."""
    waited = 0.0
    with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
        for iterator in iterators:
            began = time.perf_counter()
            element = next(iterator)
            waited += time.perf_counter() - began
            tf.reduce_sum(tf.cast(element, tf.float32))
        time.sleep(seconds)
    return waited


def capture(folder):
    for pipeline in PIPELINES:
        elements, slow = pipeline()
        there = folder / pipeline.__name__
        iterator = iter(elements)
        next(iterator)
        # a model that does not wait works longer than it takes to fetch what is there
        seconds = 0.01 if slow is not None else 0.1
        tf.profiler.experimental.start(str(there))
        waits = [_step(number, iterator, seconds=seconds) for number in range(STEPS)]
        tf.profiler.experimental.stop()
        truth = {"slow": slow, "waits": waits, "step": seconds}
        (there / "truth.json").write_text(json.dumps(truth))


def capture_two(folder):
    """One for training, a new iterator every epoch, and another one for validation."""
    training, validation = map_alone()[0], fused()[0]
    other = iter(validation)
    next(other)
    tf.profiler.experimental.start(str(folder / "two"))
    for epoch in range(2):
        iterator = iter(training)
        for number in range(4):
            _step(4 * epoch + number, iterator, *([other] if number == 3 else []))
    tf.profiler.experimental.stop()


def capture_shuffle(folder):
    """The first call fills the buffer."""
    elements = _numbers().shuffle(500).batch(4).with_options(PLAIN)
    tf.profiler.experimental.start(str(folder / "shuffled"))
    for _ in range(2):
        iterator = iter(elements)
        for number in range(5):
            _step(number, iterator)
    tf.profiler.experimental.stop()


if __name__ == "__main__":
    (cpu,) = tf.config.list_physical_devices("CPU")
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(cpu, two)
    capture(Path(sys.argv[1]))
    capture_two(Path(sys.argv[1]))
    capture_shuffle(Path(sys.argv[1]))
