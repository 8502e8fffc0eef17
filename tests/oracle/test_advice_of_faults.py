"""Programs with a fault, run here: the rule finds it, and is silent once it is mended."""

import time

import pytest
from referees import needs

needs("tensorflow")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

import tfprof  # noqa: E402
from tfprof.analyses.advice.advise import advise  # noqa: E402
from tfprof.api.anything import data_of  # noqa: E402
from tfprof.live.objects import live_graph  # noqa: E402
from tfprof.reports.advise.known import known_of  # noqa: E402
from tfprof.reports.advise.query import Query  # noqa: E402
from tfprof.reports.shared.digest import digest  # noqa: E402
from tfprof.reports.shared.question import Question  # noqa: E402

v1 = tf.compat.v1
_STEPS = 8


def rules_of(what):
    data = what.data if isinstance(what, tfprof.Profile) else data_of(what)
    known = known_of(digest(data, Question(), memory=False), Query(Question()))
    return {rule for one in advise(known) for rule in one.told.rules}


def captured(folder, run, *, warm_up=2, steps=_STEPS):
    """Some calls of `run(step)` under the profiler, after some without."""
    for step in range(warm_up):
        run(step)
    tf.profiler.experimental.start(str(folder))
    for step in range(warm_up, warm_up + steps):
        with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
            run(step)
    tf.profiler.experimental.stop()
    return tfprof.load(folder)


# pipelines


def resized(number):
    """An element that takes a millisecond to make."""
    image = tf.random.stateless_uniform([64, 64, 3], [tf.cast(number, tf.int32), 0])
    for _ in range(8):
        image = tf.image.resize(tf.image.resize(image, [160, 160]), [64, 64])
    return image


def read(path):
    return tf.strings.length(tf.io.read_file(path))


def from_python():
    for number in range(10_000):
        time.sleep(0.002)
        yield number


def numbers():
    return tf.data.Dataset.range(10_000)


def small_files(folder):
    for number in range(400):
        (folder / f"{number}.bin").write_bytes(bytes(2000))
    return tf.data.Dataset.list_files(str(folder / "*.bin"), shuffle=False).repeat()


PIPELINES = {
    "input-from-python": (
        lambda _: tf.data.Dataset.from_generator(from_python, output_types=tf.int64).batch(4),
        lambda _: numbers().map(resized).batch(4),
    ),
    "input-small-files": (
        lambda folder: small_files(folder).map(read).batch(100),
        lambda _: numbers().map(resized).batch(4),
    ),
    "input-cache-misplaced": (
        lambda _: numbers().cache().map(resized).batch(4),
        lambda _: numbers().map(resized).cache().batch(4),
    ),
    "input-shuffle-misplaced": (
        lambda _: numbers().map(resized).shuffle(60).batch(4),
        lambda _: numbers().shuffle(60).map(resized).batch(4),
    ),
    "input-map-not-parallel": (
        lambda _: numbers().map(resized).batch(4),
        lambda _: numbers().map(resized, num_parallel_calls=tf.data.AUTOTUNE).batch(4),
    ),
    "input-no-prefetch": (
        lambda _: numbers().map(resized).batch(4),
        lambda _: numbers().map(resized).batch(4).prefetch(tf.data.AUTOTUNE),
    ),
    "input-batch-after-map": (
        lambda _: numbers().map(resized).batch(4),
        lambda _: numbers().map(resized),
    ),
}


def fed(folder, dataset):
    """Its rules, where a step takes an element and does little with it; nothing is prepared."""
    plain = tf.data.Options()
    plain.experimental_optimization.apply_default_optimizations = False
    iterator = iter(dataset.with_options(plain))
    weight = tf.Variable(0.0)

    @tf.function
    def train(element):
        weight.assign_add(tf.reduce_mean(tf.cast(element, tf.float32)))

    # a shuffle fills its buffer with the first element
    return rules_of(captured(folder / "run", lambda _: train(next(iterator)), warm_up=0))


@pytest.mark.parametrize("rule", PIPELINES)
def test_a_pipeline(tmp_path, rule):
    faulty, sound = PIPELINES[rule]
    for name in ("faulty", "sound", "files"):
        (tmp_path / name).mkdir()
    assert rule in fed(tmp_path / "faulty", faulty(tmp_path / "files"))
    assert rule not in fed(tmp_path / "sound", sound(tmp_path / "files"))


# steps


def test_ops_one_by_one_from_python(tmp_path):
    def many(x):
        for _ in range(150):
            x = x * 1.01
        return x

    x, together = tf.ones([64]), tf.function(many)
    assert "eager-ops" in rules_of(captured(tmp_path / "one", lambda _: many(x)))
    assert "eager-ops" not in rules_of(captured(tmp_path / "all", lambda _: together(x)))


def test_the_first_batch(tmp_path):
    def step():
        @tf.function
        def train(x):
            for _ in range(40):
                x = tf.tanh(x @ x)
            return x

        return lambda _: train(tf.ones([64, 64])).numpy()

    assert "first-batch-profiled" in rules_of(captured(tmp_path / "first", step(), warm_up=0))
    assert "first-batch-profiled" not in rules_of(captured(tmp_path / "later", step(), warm_up=4))


def test_traced_again_and_again(tmp_path):
    @tf.function
    def train(x, number):
        return tf.reduce_sum(x) * number

    x = tf.ones([8, 8])
    # every second call has a number of Python that it had not before
    again = captured(tmp_path / "again", lambda at: train(x, at if at % 2 else tf.constant(1.0)))
    assert "retracing" in rules_of(again)
    once = captured(tmp_path / "once", lambda _: train(x, tf.constant(1.0)))
    assert "retracing" not in rules_of(once)


def test_python_between_steps(tmp_path):
    @tf.function
    def train(x):
        return tf.linalg.matmul(x, x)

    x = tf.ones([512, 512])
    for name, pause in (("slow", 0.05), ("quick", 0.0)):
        train(x)
        tf.profiler.experimental.start(str(tmp_path / name))
        for number in range(_STEPS):
            with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
                train(x).numpy()
            if pause:
                time.sleep(pause)  # a callback that logs
        tf.profiler.experimental.stop()
    assert "python-between-steps" in rules_of(tfprof.load(tmp_path / "slow"))
    assert "python-between-steps" not in rules_of(tfprof.load(tmp_path / "quick"))


# graphs


def of_graph(build):
    with tf.Graph().as_default() as graph:
        build()
    return rules_of(graph.as_graph_def())


def test_constants():
    data = np.random.default_rng(0).normal(size=(3_000_000,)).astype(np.float32)

    def summed(x):
        return tf.reduce_sum(x) * v1.get_variable("w", [1])

    def product(times):
        def build():
            x = v1.placeholder(tf.float32, [8, 512])
            table = data[: 512 * 512].reshape(512, 512)
            kept = tf.constant(table) if times == 1 else table
            for _ in range(8):
                x = tf.matmul(x, kept)

        return build

    assert "big-constants" in of_graph(lambda: summed(tf.constant(data)))
    assert "big-constants" not in of_graph(lambda: summed(v1.placeholder(tf.float32, [None])))
    assert "repeated-constants" in of_graph(product(8))
    assert "repeated-constants" not in of_graph(product(1))


def test_a_table_of_embeddings():
    def looked_up(rows, width):
        table = tf.Variable(tf.zeros([rows, width]), name="table")
        kernel = tf.Variable(tf.zeros([width, 8]), name="kernel")

        @tf.function(input_signature=[tf.TensorSpec([32], tf.int32)])
        def model(ids):
            return tf.gather(table, ids) @ kernel

        return rules_of(model)

    assert "embedding-memory" in looked_up(1_000_000, 32)
    assert "embedding-memory" not in looked_up(1_000, 32)


def test_open_shapes_under_xla():
    def compiled(*shape):
        weight = tf.Variable(tf.ones([16, 16]))

        @tf.function(jit_compile=True)
        def loss(x):
            return tf.reduce_sum(x @ weight)

        @tf.function(input_signature=[tf.TensorSpec(shape)])
        def train(x):
            return loss(x)

        return rules_of(train)

    assert "xla-dynamic-shapes" in compiled(8, None, 16)
    assert "xla-dynamic-shapes" not in compiled(8, 4, 16)


def test_a_function_for_xla_that_is_handed_over_itself(tmp_path):
    """Its body does not say so, only what calls it would; nor would the graph of a recorded run."""
    weights = tf.Variable(tf.ones([8, 4]))
    taken = [tf.TensorSpec([None, 8])]

    def chosen(rows):
        found = tf.matmul(rows, weights)
        return tf.boolean_mask(found, found[:, 0] > 0)

    compiled = tf.function(chosen, input_signature=taken, jit_compile=True)
    plain = tf.function(chosen, input_signature=taken)
    one = compiled.get_concrete_function()
    assert "xla-dynamic-shapes" in rules_of(compiled)
    assert "xla-dynamic-shapes" in rules_of(one)
    assert "xla-dynamic-shapes" not in rules_of(plain)
    # and of a file that is written from it
    path = tmp_path / "chosen.graph.pb"
    path.write_bytes(live_graph(one).data)
    assert "xla-dynamic-shapes" in rules_of(str(path))
    warned = " ".join(str(tfprof.load(path).memory(batch=4)).split())
    assert "chosen is compiled by XLA (jit_compile)" in warned


def test_ops_of_a_scope_that_xla_compiles():
    """As TensorFlow 1 marks them."""
    with v1.Graph().as_default() as graph:
        rows = v1.placeholder(tf.float32, [16, 8], name="rows")
        with v1.xla.experimental.jit_scope():
            kept = tf.unique(rows[:, 0], name="kept")[0]
        tf.reduce_sum(kept, name="loss")
    assert "xla-dynamic-shapes" in rules_of(graph)


def test_served_as_it_was_trained(tmp_path):
    def saved(name, *, rate):
        served = tf.Module()
        served.weight = tf.Variable(tf.ones([64, 64]))

        @tf.function(input_signature=[tf.TensorSpec([None, 64])])
        def call(x):
            x = x @ served.weight
            return tf.nn.dropout(x, rate) if rate else x

        tf.saved_model.save(served, str(tmp_path / name), signatures=call)
        return rules_of(tfprof.load(tmp_path / name))

    assert {"training-ops-in-inference", "unfrozen-graph"} <= saved("training", rate=0.5)
    assert "training-ops-in-inference" not in saved("serving", rate=0)


def test_a_function_that_is_compiled_whole_is_none_of_eager_ops(tmp_path):
    weights = tf.Variable(tf.ones([64, 64]))

    def step(x):
        weights.assign_sub(1e-6 * tf.matmul(x, weights, transpose_a=True))
        return tf.reduce_sum(weights)

    compiled, x = tf.function(step, jit_compile=True), tf.ones([64, 64])
    assert "eager-ops" in rules_of(captured(tmp_path / "one", lambda _: step(x)))
    assert "eager-ops" not in rules_of(captured(tmp_path / "all", lambda _: compiled(x)))
