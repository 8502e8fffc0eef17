"""Captures runs of which it is known how many steps they took.

    python tests/steps_captures.py FOLDER [NAME...]

Each run is a function here, writes a folder of its name, and returns the truth about itself, which
is put beside the capture as truth.json. All run in one process: importing TensorFlow takes longer.
"""

import contextlib
import json
import sys
import time
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
import tf_keras

BATCH = 4
WIDTH = 8


def keras3_fit():
    """Nothing marks the steps but the calls of the training function, the first of which traces."""
    _model(keras).fit(_dataset(7), verbose=0)
    return {"steps": 7, "batches": 1}


def keras3_epochs():
    """Without markers: two epochs look like one long run with a pause."""
    _model(keras).fit(_dataset(4), epochs=2, verbose=0)
    return {"steps": 8, "batches": 1}


def keras3_evaluation():
    model = _model(keras)
    model.fit(_dataset(5), epochs=3, validation_data=_dataset(2), verbose=0)
    return {"steps": 15, "batches": 1, "evaluations": 3, "evaluation_calls": 6}


def keras3_evaluation_warm(capture):
    """The same functions as ever: nothing is traced while the profiler is on."""
    model, training, other = _model(keras), _dataset(5), _dataset(2)
    model.fit(training, validation_data=other, verbose=0)
    with capture():
        model.fit(training, epochs=2, validation_data=other, verbose=0)
    return {"steps": 10, "batches": 1, "evaluations": 2, "evaluation_calls": 4}


def keras3_steps_per_execution():
    _model(keras, steps_per_execution=4).fit(_dataset(24), verbose=0)
    return {"steps": 6, "batches": 4}


def keras3_callback(capture):
    """As TensorBoard's callback does it: a marker without `_r` from batch 3 to batch 6."""
    model = _model(keras)

    class Profiled(keras.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.open = contextlib.ExitStack()

        def on_train_batch_begin(self, batch, logs=None):  # noqa: ARG002
            if batch == 3:
                self.open.enter_context(capture())
            if 3 <= batch <= 6:
                self.marker = tf.profiler.experimental.Trace("Profiled batch", step_num=batch)
                self.marker.__enter__()

        def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
            if 3 <= batch <= 6:
                self.marker.__exit__(None, None, None)
            if batch == 6:
                self.open.close()

    model.fit(_dataset(10), callbacks=[Profiled()], verbose=0)
    return {"steps": 4, "batches": 1, "first": 3}


def keras2_fit():
    _model(tf_keras).fit(_dataset(7), verbose=0)
    return {"steps": 7, "batches": 1, "first": 0}


def keras2_epochs():
    """The numbers go on from one epoch to the next."""
    _model(tf_keras).fit(_dataset(4), epochs=2, verbose=0)
    return {"steps": 8, "batches": 1}


def keras2_evaluation():
    model = _model(tf_keras)
    model.fit(_dataset(5), epochs=3, validation_data=_dataset(2), verbose=0)
    return {"steps": 15, "batches": 1, "evaluations": 3, "evaluation_calls": 6}


def keras2_evaluation_only(capture):
    model = _model(tf_keras)
    model.evaluate(_dataset(2), verbose=0)
    with capture():
        model.evaluate(_dataset(6), verbose=0)
    return {"steps": 6, "batches": 1}


def keras2_steps_per_execution():
    _model(tf_keras, steps_per_execution=4).fit(_dataset(24), verbose=0)
    return {"steps": 6, "batches": 4}


def keras2_callback(capture):
    """The profiler starts within one marked step and stops within another: neither is whole."""

    class Profiled(tf_keras.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.open = contextlib.ExitStack()

        def on_train_batch_begin(self, batch, logs=None):  # noqa: ARG002
            if batch == 3:
                self.open.enter_context(capture())

        def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
            if batch == 7:
                self.open.close()

    _model(tf_keras).fit(_dataset(10), callbacks=[Profiled()], verbose=0)
    # batch 3 began before the capture, batch 7 ended after it
    return {"steps": 3, "batches": 1, "first": 4}


def keras3_long_evaluation():
    """The function that evaluates is called more often than the one that trains."""
    _model(keras).fit(_dataset(3), epochs=2, validation_data=_dataset(9), verbose=0)
    return {"steps": 6, "batches": 1, "evaluations": 2, "evaluation_calls": 18}


def fused():
    """By default tf.data makes one parallel, autotuned stage of these two."""
    elements = tf.data.Dataset.range(BATCH * 8).map(_slow_element).batch(BATCH)
    _model(keras).fit(elements, verbose=0)
    return {"steps": 8, "batches": 1}


def autotuned():
    elements = tf.data.Dataset.range(BATCH * 8)
    elements = elements.map(_slow_element, num_parallel_calls=tf.data.AUTOTUNE)
    elements = elements.batch(BATCH).prefetch(tf.data.AUTOTUNE)
    _model(keras).fit(elements, verbose=0)
    return {"steps": 8, "batches": 1}


def map_functions(capture):
    """Python in the map: the input pipeline calls many functions, none of them a step."""

    def slow(value):
        time.sleep(0.001)
        return np.float32(value)

    def element(number):
        value = tf.numpy_function(slow, [number], tf.float32)
        return tf.fill([WIDTH], tf.reshape(value, [])), tf.zeros([1])

    elements = tf.data.Dataset.range(BATCH * 6).map(element, num_parallel_calls=2).batch(BATCH)
    step = _train_step()
    with capture():
        for features, labels in elements:
            step(features, labels)
    return {"steps": 6, "batches": 1}


def custom_loop(capture):
    step = _train_step()
    with capture():
        for features, labels in _dataset(9):
            step(features, labels)
    return {"steps": 9, "batches": 1}


def custom_loop_with_evaluation(capture):
    """Both are functions without markers; training is called more often."""
    step, score = _train_step(), _score()
    with capture():
        for _ in range(2):
            for features, labels in _dataset(6):
                step(features, labels)
            for features, labels in _dataset(2):
                score(features, labels)
    return {"steps": 12, "batches": 1, "evaluations": 2, "evaluation_calls": 4}


def two_functions(capture):
    """What is called after every step is a part of it."""
    step, score = _train_step(), _score()
    with capture():
        for features, labels in _dataset(6):
            step(features, labels)
            score(features, labels)
    return {"steps": 6, "batches": 1}


def other_shapes(capture):
    """The last batch of an epoch is smaller, so that the function has two graphs."""
    step = _train_step()
    with capture():
        for _ in range(2):
            for features, labels in _dataset(5).unbatch().skip(2).batch(BATCH):
                step(features, labels)
    return {"steps": 10, "batches": 1}


def concrete_function(capture):
    """Not Python but the runtime says that a function ran."""
    step = _train_step()
    step = step.get_concrete_function(tf.zeros([BATCH, WIDTH]), tf.zeros([BATCH, 1]))
    with capture():
        for features, labels in _dataset(7):
            step(features, labels)
    return {"steps": 7, "batches": 1}


def session_runs(capture):
    """As in TensorFlow 1, seen by the profiler of TensorFlow 2."""
    with tf.Graph().as_default():
        weights = tf.compat.v1.get_variable("weights", [WIDTH, 1], use_resource=True)
        loss = tf.reduce_mean((tf.ones([BATCH, WIDTH]) @ weights) ** 2)
        step = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        with tf.compat.v1.Session() as session:
            session.run(weights.initializer)
            with capture():
                for _ in range(5):
                    session.run(step)
    return {"steps": 5, "batches": 0}


def queue_runner(capture):
    """A slow thread fills a queue, in runs of its own, and the model waits for it."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        element = v1.py_func(_slowly, [tf.ones([WIDTH])], tf.float32)
        element.set_shape([WIDTH])
        queue = v1.FIFOQueue(2 * BATCH, [tf.float32], [[WIDTH]], name="queue")
        runner = v1.train.QueueRunner(queue, [queue.enqueue(element, name="fill")])
        weights = v1.get_variable("weights", [WIDTH, 1], use_resource=True)
        loss = tf.reduce_mean((queue.dequeue_many(BATCH, name="take") @ weights) ** 2)
        step = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        with v1.Session() as session:
            session.run(weights.initializer)
            coordinator = v1.train.Coordinator()
            threads = runner.create_threads(session, coordinator, start=True)
            session.run(step)
            with capture():
                for _ in range(6):
                    session.run(step)
            coordinator.request_stop()
            session.run(queue.close(cancel_pending_enqueues=True))
            coordinator.join(threads)
    return {"steps": 6, "batches": 0}


def _slowly(values):
    time.sleep(0.01)
    return values


def distributed(capture):
    """What a strategy runs calls other functions within: only the outermost is a step."""
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    step = _train_step()

    @tf.function
    def everywhere(features, labels):
        strategy.run(step, args=(features, labels))

    with capture():
        for features, labels in strategy.experimental_distribute_dataset(_dataset(6)):
            everywhere(features, labels)
    return {"steps": 6, "batches": 1}


def loop_in_a_function(capture):
    """One call runs all of them: only the requests for input tell them apart."""
    step, elements = _train_step(), _dataset(11)

    @tf.function
    def epoch():
        for features, labels in elements:
            step(features, labels)

    with capture():
        epoch()
    return {"steps": 11, "batches": 1}


def loop_with_break(capture):
    """A loop that may end early is another stage around the rounds."""
    step, elements = _train_step(), _dataset(11)

    @tf.function
    def epoch():
        done = tf.constant(0)
        for features, labels in elements:
            step(features, labels)
            done += 1
            if done == 8:
                break

    with capture():
        epoch()
    return {"steps": 8, "batches": 1}


def replicas(capture):
    """Each step asks for a batch a replica."""
    strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    with strategy.scope():
        model = _model(keras)
    model.fit(_dataset(6), verbose=0)
    with capture():
        model.fit(_dataset(6), verbose=0)
    return {"steps": 6, "batches": 2}


def eager_loop(capture):
    weights = tf.Variable(tf.ones([WIDTH, 1]))
    with capture():
        _eager_epoch(weights, _dataset(8))
    return {"steps": 8, "batches": 1}


def eager_epochs(capture):
    """Between two epochs a new iterator is made, and that is no step."""
    weights = tf.Variable(tf.ones([WIDTH, 1]))
    with capture():
        for _ in range(3):
            _eager_epoch(weights, _dataset(4))
    return {"steps": 12, "batches": 1}


def _eager_epoch(weights, elements):
    for features, labels in elements:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((features @ weights - labels) ** 2)
        weights.assign_sub(0.01 * tape.gradient(loss, weights))


def arrays_by_hand(capture):
    """No dataset at all: the function is called with what is at hand."""
    model = _model(keras)
    features, labels = np.zeros((BATCH, WIDTH), np.float32), np.zeros((BATCH, 1), np.float32)
    with capture():
        for _ in range(6):
            model.train_on_batch(features, labels)
    return {"steps": 6, "batches": 0}


def slow_callback(capture):
    """Between two batches Python sleeps, which is no work of TensorFlow."""

    class Sleeps(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
            time.sleep(0.02)

    model = _model(keras)
    model.fit(_dataset(2), verbose=0)
    with capture():
        model.fit(_dataset(6), callbacks=[Sleeps()], verbose=0)
    return {"steps": 6, "batches": 1}


def numbered_twice(capture):
    """Each epoch counts from 0."""
    step = _train_step()
    with capture():
        for _ in range(2):
            for number, (features, labels) in enumerate(_dataset(4)):
                with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
                    step(features, labels)
    return {"steps": 8, "batches": 1}


def marked_by_name(capture):
    """Markers that tell no number."""
    step = _train_step()
    with capture():
        for features, labels in _dataset(5):
            with tf.profiler.experimental.Trace("train_step"):
                step(features, labels)
    return {"steps": 5, "batches": 1}


def nested_markers(capture):
    """A marker around Keras 2, which marks its own steps, with other numbers."""
    model = _model(tf_keras)
    with capture():
        for number in range(100, 103):
            with tf.profiler.experimental.Trace("round", step_num=number, _r=1):
                model.fit(_dataset(3), verbose=0)
    return {"steps": 9, "batches": 1}


def no_steps(capture):
    """A function called once, and a bit of arithmetic."""
    step = _train_step()
    with capture():
        step(tf.zeros([BATCH, WIDTH]), tf.zeros([BATCH, 1]))
        tf.reduce_sum(tf.ones([3]))
    return {"steps": 0, "batches": 0}


def _model(library, **compiled):
    library.utils.set_random_seed(1)
    model = library.Sequential([
        library.layers.Input((WIDTH,)),
        library.layers.Dense(16, activation="relu"),
        library.layers.Dense(1),
    ])  # fmt: skip
    model.compile("sgd", "mse", **compiled)
    return model


def _dataset(batches):
    features = np.arange(batches * BATCH * WIDTH, dtype=np.float32).reshape(-1, WIDTH) / 1000
    labels = np.zeros((batches * BATCH, 1), np.float32)
    return tf.data.Dataset.from_tensor_slices((features, labels)).batch(BATCH).prefetch(1)


def _slow_element(number):
    value = tf.reduce_mean(tf.linalg.matmul(tf.ones([64, 64]), tf.ones([64, 64])))
    return tf.fill([WIDTH], tf.cast(number, tf.float32) / value), tf.zeros([1])


def _train_step():
    weights = tf.Variable(tf.ones([WIDTH, 1]))

    @tf.function
    def step(features, labels):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((features @ weights - labels) ** 2)
        weights.assign_sub(0.01 * tape.gradient(loss, weights))

    return step


def _score():
    weights = tf.Variable(tf.ones([WIDTH, 1]))

    @tf.function
    def score(features, labels):
        return tf.reduce_mean((features @ weights - labels) ** 2)

    return score


RUNS = [
    keras3_fit, keras3_epochs, keras3_evaluation, keras3_evaluation_warm,
    keras3_long_evaluation, keras3_steps_per_execution, keras3_callback,
    keras2_fit, keras2_epochs, keras2_evaluation, keras2_evaluation_only,
    keras2_steps_per_execution, keras2_callback,
    fused, autotuned, map_functions,
    custom_loop, custom_loop_with_evaluation, two_functions, other_shapes, concrete_function,
    session_runs, queue_runner, distributed, replicas, loop_in_a_function, loop_with_break,
    eager_loop, eager_epochs, arrays_by_hand, slow_callback,
    numbered_twice, marked_by_name, nested_markers, no_steps,
]  # fmt: skip


def capture_all(folder, names):
    for run in RUNS:
        if names and run.__name__ not in names:
            continue
        there = folder / run.__name__

        @contextlib.contextmanager
        def capture(there=there):
            tf.profiler.experimental.start(str(there))
            yield
            tf.profiler.experimental.stop()

        if run.__code__.co_argcount:
            truth = run(capture)
        else:
            with capture():
                truth = run()
        (there / "truth.json").write_text(json.dumps(truth))


if __name__ == "__main__":
    (cpu,) = tf.config.list_physical_devices("CPU")
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(cpu, two)
    capture_all(Path(sys.argv[1]), sys.argv[2:])
