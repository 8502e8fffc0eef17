"""Advice is taken, and what it gains is measured: predicted beside measured, for each rule.

What is counted in bytes comes out the same on every machine. What takes time is measured before and
after in turn, and judged on a quiet machine only. A rule that promises a gain "at least" has to
keep that, and its miss is in the table of docs/advice.md.
"""

import time
from pathlib import Path
from statistics import median

import numpy as np
import pytest
import tensorflow as tf
from quiet import quietly

import tfprof
from tfprof.analyses.advice.advise import advise
from tfprof.api.anything import data_of
from tfprof.reports.advise.known import known_of
from tfprof.reports.advise.query import Query
from tfprof.reports.shared.digest import digest
from tfprof.reports.shared.question import Question

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
v1 = tf.compat.v1
# of times that a test measures by the clock, on a quiet machine
_NEAR, _NOISE = 0.2, 0.1


def finding(profile, rule, **asked):
    data = profile.data if isinstance(profile, tfprof.Profile) else data_of(profile)
    known = known_of(digest(data, Question(), memory=False), Query(Question(), **asked))
    (one,) = (one for one in advise(known) if rule in one.told.rules)
    return one


def told(rule, gain, measured):
    """A row of the table in docs/advice.md."""
    miss = gain.after / measured - 1
    amounts = " | ".join(f"{one:,.0f}" for one in (gain.before, gain.after, measured))
    print(f"| {rule} | {gain.metric} | {amounts} | {miss:+.1%} |")
    return miss


def constants_of(graph):
    """The bytes of large constants, counted by TensorFlow's own messages."""
    bodies = [graph.node, *(one.node_def for one in graph.library.function)]
    held = (node.attr["value"].tensor.tensor_content for nodes in bodies for node in nodes)
    return sum(len(one) for one in held if len(one) >= 16_384)


def graph_of(build):
    with tf.Graph().as_default() as graph:
        build()
    return graph.as_graph_def()


def test_repeated_constants():
    table = np.random.default_rng(0).normal(size=(256, 256)).astype(np.float32)

    def faulty():
        x = v1.placeholder(tf.float32, [8, 256])
        for _ in range(20):
            x = tf.matmul(x, table)

    def mended():
        x, once = v1.placeholder(tf.float32, [8, 256]), tf.constant(table)
        for _ in range(20):
            x = tf.matmul(x, once)

    gain = finding(graph_of(faulty), "repeated-constants").gain
    assert abs(told("repeated-constants", gain, constants_of(graph_of(mended)))) < 0.01


def test_big_constants():
    data = np.random.default_rng(0).normal(size=(3_000_000,)).astype(np.float32)

    def model(x):
        weight = v1.get_variable("w", [1])
        return tf.reduce_sum(x) * weight

    gain = finding(graph_of(lambda: model(tf.constant(data))), "big-constants").gain
    read = graph_of(lambda: model(v1.placeholder(tf.float32, [None])))
    measured = constants_of(read)
    print(
        f"| big-constants | {gain.metric} | {gain.before:,.0f} | {gain.after:,.0f} | {measured} |"
    )
    assert gain.after == measured == 0


def test_unquantised_graph(tmp_path):
    model = tf.keras.Sequential(
        [tf.keras.Input((784,)), tf.keras.layers.Dense(1024), tf.keras.layers.Dense(1024)]
    )
    model.export(tmp_path / "saved", verbose=False)
    gain = finding(tfprof.load(tmp_path / "saved"), "unquantised-graph").gain
    converter = tf.lite.TFLiteConverter.from_saved_model(str(tmp_path / "saved"))
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    # the whole file: weights at int8, and what TensorFlow Lite writes around them
    assert abs(told("unquantised-graph", gain, len(converter.convert()))) < 0.05


def traced_peak(build, feed):
    """Peak of a session run with a full trace, by tfprof's own reading of run metadata."""
    with tf.Graph().as_default() as graph:
        train, inputs = build()
        session = v1.Session(graph=graph)
        session.run(v1.global_variables_initializer())
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        metadata = v1.RunMetadata()
        fed = dict(zip(inputs, feed, strict=False))
        session.run(train, fed)
        session.run(train, fed, options=options, run_metadata=metadata)
    return graph, metadata


def _either(x, flag, at):
    """What tf.layers.batch_normalization builds of a flag that is fed."""
    scale, offset = v1.get_variable(f"s{at}", [16]), v1.get_variable(f"o{at}", [16])
    mean, variance = tf.zeros([16]), tf.ones([16])

    def of_batch():
        return v1.nn.fused_batch_norm(x, scale, offset, is_training=True)[0]

    def as_stored():
        return v1.nn.fused_batch_norm(x, scale, offset, mean, variance, is_training=False)[0]

    return of_batch() if flag is True else v1.cond(flag, of_batch, as_stored)


def _convolutions(training):
    def build():
        # of fixed shapes, TensorFlow makes constants of zeros
        x = v1.placeholder(tf.float32, [None, None, None, 3])
        flag = v1.placeholder(tf.bool, []) if training is None else training
        y = x
        for at in range(6):
            # a kernel of 1 needs no scratch, which would hide what is kept
            y = tf.nn.conv2d(y, v1.get_variable(f"k{at}", [1, 1, y.shape[-1], 16]), 1, "SAME")
            y = tf.nn.relu(_either(y, flag, at))
        train = v1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(y))
        return train, [x] if training is not None else [x, flag]

    return build


def test_batch_norm_under_cond(tmp_path):
    v1.disable_control_flow_v2()
    x = np.zeros((4, 64, 64, 3), np.float32)
    try:
        graph, ran = traced_peak(_convolutions(None), [x, True])
        _, mended = traced_peak(_convolutions(True), [x])
    finally:
        v1.enable_control_flow_v2()
    for name, data in {"graph.pb": graph.as_graph_def(), "run_meta": ran}.items():
        (tmp_path / name).write_bytes(data.SerializeToString())
    (tmp_path / "mended").write_bytes(mended.SerializeToString())
    gain = finding(tfprof.load(tmp_path / "graph.pb", tmp_path / "run_meta"),
                   "batch-norm-under-cond").gain  # fmt: skip
    held = gain.before - tfprof.peak_memory(tmp_path / "run_meta")["/cpu:0"]
    measured = tfprof.peak_memory(tmp_path / "mended")["/cpu:0"] + held
    assert abs(told("batch-norm-under-cond", gain, measured)) < 0.1


def test_optimizer_memory():
    def model(optimizer):
        made = tf.keras.Sequential([tf.keras.Input((4096,)), tf.keras.layers.Dense(4096)])
        made.compile(optimizer, "mse")
        made.optimizer.build(made.trainable_variables)
        return made

    adam, momentum = model("adam"), model(tf.keras.optimizers.SGD(0.1, momentum=0.9))
    specs = [tf.TensorSpec([8, 4096]), tf.TensorSpec([8, 4096])]

    def step_of(made):
        @tf.function(input_signature=specs)
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((made(x, training=True) - y) ** 2)
            grads = tape.gradient(loss, made.trainable_variables)
            made.optimizer.apply_gradients(zip(grads, made.trainable_variables, strict=True))
            return loss

        return step

    def held_by(variables):
        return sum(int(np.prod(one.shape)) * 4 for one in variables)

    gain = finding(step_of(adam), "optimizer-memory").gain
    assert "at most" in gain.model
    spared = held_by(adam.optimizer.variables) - held_by(momentum.optimizer.variables)
    assert gain.before - gain.after == pytest.approx(spared, rel=0.01)
    held = held_by(momentum.optimizer.variables) + held_by(momentum.variables)
    peak = tfprof.peak_memory(step_of(momentum))
    # Adam's update needs room for its second moment, too: less is promised than comes
    assert told("optimizer-memory", gain, held + max(peak.values())) >= 0


def captured(folder, run, steps):
    """A capture of some steps of `run(step)`, after some that are not captured."""
    for step in range(5):
        run(step)
    tf.profiler.experimental.start(str(folder))
    for step in range(5, 5 + steps):
        with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
            run(step)
    tf.profiler.experimental.stop()
    return tfprof.load(folder)


def usual(run, steps=30):
    """The median time of a step, in microseconds."""
    times = []
    for step in range(steps):
        began = time.perf_counter()
        run(step)
        times.append(1e6 * (time.perf_counter() - began))
    return median(times)


@pytest.mark.alone
def test_python_between_steps(tmp_path):
    weights = tf.Variable(tf.random.normal([1024, 1024]))

    @tf.function
    def step():
        return weights.assign(tf.linalg.matmul(weights, weights) * 1e-3)

    def in_turn(folder):
        for _ in range(5):
            step()
        tf.profiler.experimental.start(str(folder))
        for number in range(12):
            with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
                step().numpy()
            time.sleep(0.05)  # a callback that logs
        tf.profiler.experimental.stop()
        return finding(tfprof.load(folder), "python-between-steps").gain, usual(
            lambda _: step().numpy()
        )

    tf.profiler.experimental.start(str(tmp_path / "warm"))
    tf.profiler.experimental.stop()
    gain, measured = quietly(lambda again: in_turn(tmp_path / str(again)))
    assert abs(told("python-between-steps", gain, measured)) < _NEAR


@pytest.mark.alone
def test_retracing(tmp_path):
    x = tf.random.normal([512, 512])

    def in_turn(folder):
        @tf.function
        def step(x, number):
            for _ in range(30):
                x = tf.tanh(x) * 0.5
            return tf.reduce_sum(x) + number

        # every second call has a number of Python that it had not before
        profile = captured(folder, lambda at: step(x, at if at % 2 else tf.constant(1.0)), 12)
        return finding(profile, "retracing").gain, usual(lambda _: step(x, tf.constant(1.0)))

    gain, measured = quietly(lambda again: in_turn(tmp_path / str(again)))
    assert abs(told("retracing", gain, measured)) < _NEAR


def _normalised(x, scale, offset, fused):
    if fused:
        return v1.nn.fused_batch_norm(x, scale, offset, epsilon=1e-3)[0]
    mean, variance = tf.nn.moments(x, [0, 1, 2])
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)


def _stack(fused):
    def build():
        y = x = v1.placeholder(tf.float32, [16, 64, 64, 16])
        for at in range(4):
            kernel = v1.get_variable(f"k{at}", [3, 3, 16, 16])
            y = tf.nn.conv2d(y, kernel, 1, "SAME")
            scale = v1.get_variable(f"s{at}", [16], initializer=v1.ones_initializer())
            offset = v1.get_variable(f"o{at}", [16])
            with tf.name_scope(f"bn{at}"):
                y = _normalised(y, scale, offset, fused)
            y = tf.nn.relu(y)
        return v1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(y)), [x]

    return build


def op_time(folder: Path):
    return tfprof.load(folder).summary().to_dict()["data"]["time"]["op_us"]


@pytest.mark.alone
def test_unfused_batch_norm(tmp_path):
    x = np.random.default_rng(0).normal(size=(16, 64, 64, 16)).astype(np.float32)

    def in_turn(place):
        times: dict[bool, list[float]] = {False: [], True: []}
        gains = []
        for number in range(5):
            for fused in (False, True):
                folder = place / f"{number}-{fused}"
                folder.mkdir(parents=True)
                graph, ran = traced_peak(_stack(fused), [x])
                (folder / "graph.pb").write_bytes(graph.as_graph_def().SerializeToString())
                (folder / "run_meta").write_bytes(ran.SerializeToString())
                times[fused].append(op_time(folder))
                if not fused:
                    gains.append(finding(tfprof.load(folder), "unfused-batch-norm").gain)
        return sorted(gains, key=lambda one: one.after)[len(gains) // 2], median(times[True])

    gain, measured = quietly(lambda again: in_turn(tmp_path / str(again)))
    assert "at most" in gain.model
    # a promise, which a tenth of noise does not break
    assert told("unfused-batch-norm", gain, measured) > -_NOISE
