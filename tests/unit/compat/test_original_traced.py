"""Runs of live graphs: what TensorFlow's own tests hold the original's numbers to."""

import numpy as np
import pytest
import tensorflow as tf
from live_models import LOOPS, Live, convolutions, found, recurrent

from tfprof import compat as original
from tfprof.wire.schema import message_class

Builder = original.ProfileOptionBuilder
COMPAT = [None, "original"]
MINIMUMS = {
    "min_micros": "total_exec_micros",
    "min_cpu_micros": "total_cpu_exec_micros",
    "min_bytes": "total_requested_bytes",
    "min_peak_bytes": "total_peak_bytes",
    "min_residual_bytes": "total_residual_bytes",
    "min_output_bytes": "total_output_bytes",
}


@pytest.fixture(scope="module")
def full():
    return Live(recurrent)


def _silent(**minimums):
    minimums = {"min_micros": 0, "min_bytes": 0, **minimums}
    return Builder(Builder.time_and_memory(**minimums)).with_empty_output().order_by("name").build()


def _executions(run_meta, name):
    """The records of a node, whatever the device."""
    records = [one for device in run_meta.step_stats.dev_stats for one in device.node_stats]
    return [record for record in records if record.node_name == name]


@pytest.mark.parametrize("compat", COMPAT)
def test_a_node_in_a_loop_adds_up_its_iterations(full, compat):
    run_meta = full.run()
    ran = _executions(run_meta, "loop/product")
    assert len(ran) == LOOPS
    root = original.profile(full.graph, run_meta, options=_silent(), compat=compat)
    node = found(root, "loop/product")
    assert node.run_count == LOOPS
    took = sum(record.op_end_rel_micros for record in ran)
    assert node.exec_micros == node.cpu_exec_micros == took > 0
    assert node.accelerator_exec_micros == 0


@pytest.mark.parametrize("level", ["SOFTWARE_TRACE", "HARDWARE_TRACE", "FULL_TRACE"])
def test_every_kind_of_trace_will_do(level):
    def product():
        left = tf.random.normal([1, 300])
        return tf.matmul(left, tf.random.normal([300, 600]), name="MatMul")

    live = Live(product)
    run_meta = live.run(level=level)
    root = original.profile(live.graph, run_meta, options=_silent())
    assert root.children[0].name == "MatMul"
    (record,) = _executions(run_meta, "MatMul")
    assert root.children[0].exec_micros == record.op_end_rel_micros > 0
    assert found(root, "MatMul").output_bytes == 600 * 4


def test_memory_is_the_same_in_every_run():
    ones = np.ones([100, 100], np.float32)
    live = Live(lambda: tf.multiply(tf.constant(ones), tf.constant(ones), name="product"))
    options = _silent()
    options["select"] = ("bytes", "peak_bytes", "output_bytes", "residual_bytes")
    one, two = (
        found(original.profile(live.graph, live.run(), options=options), "product")
        for _ in range(2)
    )
    assert one.peak_bytes == two.peak_bytes >= 40_000
    assert one.output_bytes == two.output_bytes >= 40_000
    assert one.residual_bytes == two.residual_bytes > 0


def test_every_iteration_asks_for_memory():
    def squares():
        start = tf.ones([100, 100])
        loop = tf.compat.v1.while_loop
        _, end = loop(lambda at, _: at < 100, lambda at, x: (at + 1, x * x), [0, start])
        return end

    live = Live(squares)
    root = original.profile(live.graph, live.run(), options=_silent())
    assert root.total_requested_bytes > 1_000_000


def test_nodes_join_with_the_step_that_ran_them():
    def parts():
        image = tf.zeros([2, 8, 8, 3])
        make = tf.compat.v1.get_variable
        one = tf.nn.conv2d(image, make("one/w", [3, 3, 3, 4]), 1, "SAME", name="one/Conv2D")
        two = tf.nn.conv2d(image, make("two/w", [2, 2, 3, 4]), 1, "SAME", name="two/Conv2D")
        return tf.add(one, two, name="both")

    live = Live(parts)
    profiler = original.Profiler(live.graph)
    options = Builder(Builder.time_and_memory(min_bytes=0)).with_empty_output().build()
    ran = ["one/Conv2D", "two/Conv2D", "both"]
    assert profiler.profile_name_scope(options).children == []
    for step, name in enumerate(ran, 1):
        profiler.add_step(step, live.run(f"{name}:0"))
        root = profiler.profile_name_scope(options)
        assert [one for one in ran if found(root, one)] == ran[:step]
        assert found(root, name).exec_micros > 0
    advice = profiler.advise(original.ALL_ADVICE).checkers
    assert advice["AcceleratorUtilizationChecker"].reports == []
    assert advice["ExpensiveOperationChecker"].reports
    assert "OperationChecker" in advice


@pytest.mark.parametrize("compat", COMPAT)
def test_a_second_run_of_a_step_brings_the_nodes_of_its_own(compat):
    live = Live(convolutions)
    profiler = original.Profiler(live.graph, compat=compat)
    name = "first/Initializer/random_uniform/RandomUniform"

    def initializer():
        node = found(profiler.profile_name_scope(_silent()), name)
        return [node.exec_micros, node.requested_bytes, node.peak_bytes, node.residual_bytes]

    profiler.add_step(0, live.run())
    assert initializer() == [0, 0, 0, 0]
    profiler.add_step(0, live.initialized)
    assert min(initializer()) > 0


@pytest.mark.parametrize("compat", COMPAT)
@pytest.mark.parametrize("key", MINIMUMS)
def test_a_minimum_hides_what_is_below_it_and_nothing_else(full, key, compat):
    run_meta = full.run()

    def rows(**minimums):
        options = {**_silent(**minimums), "account_displayed_op_only": False}
        return original.profile(full.graph, run_meta, options=options, compat=compat).rows[1:]

    totals = {row.name: getattr(row, MINIMUMS[key]) for row in rows()}
    least = sorted(set(totals.values()))[1:][len(set(totals.values())) // 2]
    wanted = {name for name, total in totals.items() if total >= least}
    assert 0 < len(wanted) < len(totals)
    assert {row.name for row in rows(**{key: least})} == wanted


def test_accelerator_time_has_a_minimum_of_its_own():
    graph, run = message_class("GraphDef")(), message_class("RunMetadata")()
    device = run.step_stats.dev_stats.add(device="/device:GPU:0").node_stats
    stream = run.step_stats.dev_stats.add(device="/device:GPU:0/stream:all").node_stats
    for name, host, kernel in (("slow", 5, 90), ("fast", 200, 10)):
        graph.node.add(name=name, op="Mul")
        device.add(node_name=name, all_start_micros=100, op_end_rel_micros=host)
        stream.add(node_name=name, all_start_micros=110, op_end_rel_micros=kernel)
    (row,) = original.profile(graph, run, options=_silent(min_accelerator_micros=50)).children
    assert (row.name, row.accelerator_exec_micros, row.cpu_exec_micros) == ("slow", 90, 5)
    (row,) = original.profile(graph, run, options=_silent(min_cpu_micros=50)).children
    assert (row.name, row.accelerator_exec_micros, row.exec_micros) == ("fast", 10, 210)


def test_a_saved_profile_keeps_its_steps_when_one_is_added(unet, tmp_path):
    graph, run = (unet / "graph.pb").read_bytes(), (unet / "run_meta").read_bytes()
    silent = original.ProfileOptionBuilder().with_empty_output().build()
    first = original.Profiler(graph)
    first.add_step(1, run)
    path = tmp_path / "saved"
    path.write_bytes(first.serialize_to_string())
    again = original.Profiler(path)
    again.add_step(2, run)
    for step in (1, 2):
        result = again.profile_name_scope({**silent, "step": step})
        assert result.total_parameters == first.profile_name_scope(silent).total_parameters
