"""Op time by type, node, scope, layer, device and thread, on real captures."""

import numpy as np
import pytest

from tfprof.analyses.cost.layers import by_layer
from tfprof.analyses.cost.op_costs import op_costs
from tfprof.analyses.runtime.device_peaks import peak_of
from tfprof.analyses.runtime.op_clock import OpClock
from tfprof.analyses.runtime.op_events import op_events, self_micros
from tfprof.analyses.runtime.op_times import PIPELINE, groups, op_times
from tfprof.analyses.runtime.op_work import work_of
from tfprof.analyses.runtime.original_op_time import op_micros
from tfprof.analyses.runtime.roofline import estimates
from tfprof.model.device import DevicePeak
from tfprof.model.trace import Trace
from tfprof.sources.find.load import Request, choose, read
from tfprof.sources.xplane.xplane import read as read_xplane


def table(runs, by, **more):
    rows = op_times(runs, groups(runs, by), **more)
    return {row.name: row.finish(by, 0, None) for row in rows}


@pytest.fixture
def capture(samples):
    return lambda name: read_xplane(samples / f"xplane/{name}.xplane.pb", 0, None).trace


@pytest.fixture
def traced_step(samples):
    folder = samples / "traced_step"
    files = [folder / "graph.pb", folder / "vm.xplane.pb"]
    return read(choose(Request(files, {"vars": [folder / "vars.json"]})).selections[0])


@pytest.mark.parametrize("by", ["op", "node", "scope", "layer", "device", "thread"])
def test_every_table_has_all_the_time(capture, by):
    runs = op_events(capture("slow-cb"))
    rows = table(runs, by).values()
    assert sum(row.self_us for row in rows) == pytest.approx(runs.self_ps.sum() / 1e6)
    assert sum(row.runs for row in rows) == len(runs)
    for row in rows:
        assert row.min_us <= row.median_us.value <= row.max_us <= row.self_us + 1e-9


def test_layers_are_found_by_name_and_gradients_with_them(capture):
    layers = table(op_events(capture("slow-cb")), "layer")
    assert {"conv2d_1", "max_pooling2d_1", "dense_1", "adam", "compile_loss"} <= set(layers)
    # Conv2D with bias and activation in one, its gradients, and two variables read
    assert layers["conv2d_1"].runs == 8 * 6
    assert layers[PIPELINE].runs == 128 * 49 + 272


def test_what_xla_compiled_belongs_to_the_op_it_was_compiled_from(capture):
    runs = op_events(capture("fast-xla"))
    nodes = table(runs, "node")
    assert nodes["gradient_tape/sequential_1/dense_1/MatMul/MatMul_1"].op == "MatMul"
    assert nodes["sequential_1/max_pooling2d_1/MaxPool2d"].op == "MaxPool"
    # what XLA made for itself stands under its own name
    assert nodes["copy.30"].op == "copy"
    assert {"conv2d_1", "dense_1", "adam"} <= set(table(runs, "layer"))


def test_threads_and_streams_are_told_apart(capture):
    threads = table(op_events(capture("slow-cb")), "thread")
    assert sum(name.startswith("tf_Compute/") for name in threads) == 2
    streams = ["Stream #1(Compute)", "Stream #2(MemcpyH2D)"]
    assert list(table(op_events(capture("synthetic-gpu")), "thread")) == streams
    assert list(table(op_events(capture("synthetic-gpu")), "device")) == ["/gpu:0"]


def test_self_micros_add_up_to_the_own_time_of_each_node(capture):
    trace = capture("slow-cb")
    micros = self_micros(trace)
    runs = op_events(trace)
    nodes = trace.executions.node.codes
    count = len(trace.executions.node.table)
    whole = np.bincount(nodes, micros, count)
    exact = np.bincount(nodes, runs.self_ps[: len(nodes)] / 1e6, count)
    assert np.abs(whole - exact).max() <= 0.5


def test_two_hosts_keep_their_own_events(capture):
    one, other = capture("slow-trace"), capture("fast-trace")
    both = op_events(Trace.joined([one, other]))
    apart = [op_events(trace) for trace in (one, other)]
    assert both.self_ps.sum() == sum(runs.self_ps.sum() for runs in apart)
    assert len(table(both, "thread")) == sum(len(table(runs, "thread")) for runs in apart)


def test_run_metadata_has_the_micros_of_the_original(unet):
    data = read(choose(Request([unet])).selections[0])
    runs = op_events(data.trace).timed()
    micros = op_micros(data.trace.executions)
    assert runs.self_ps.sum() == runs.total_ps.sum() == micros.sum() * 1_000_000
    assert not runs.nested


def test_the_work_of_a_fused_op_is_that_of_all_it_took_in(traced_step):
    runs = op_events(traced_step.trace)
    costs = op_costs(traced_step)
    rows = table(runs, "node", work=work_of(runs, costs, traced_step.graph))
    fused = rows["small_1/first_1/Relu"]
    images, outputs = 16 * 28 * 28, 16 * 26 * 26 * 8
    assert fused.op == "_FusedConv2D"
    # nine multiply-adds an output, the bias, the activation
    assert fused.flops.value == 3 * outputs * (2 * 9 + 1 + 1)
    assert fused.bytes.value == pytest.approx(3 * 4 * (images + outputs + 72 + 8), rel=0.01)
    assert fused.flops_per_second == pytest.approx(fused.flops.value / fused.self_us * 1e6)
    assert fused.intensity == pytest.approx(fused.flops.value / fused.bytes.value)
    alone = rows["gradient_tape/small_1/last_1/MatMul/MatMul"]
    assert alone.flops.value == 3 * 2 * 16 * 1352 * 10


def test_layers_of_the_graph_name_what_ran(traced_step):
    runs = op_events(traced_step.trace)
    found = by_layer(op_costs(traced_step))
    known = {op.site.name: layer.name for layer in found for op in layer.ops}
    names = {row.name for row in op_times(runs, groups(runs, "layer", known))}
    assert {"first_1", "pool_1", "last_1"} <= names


def test_without_steps_a_step_is_what_most_ops_ran(traced_step):
    costs = op_costs(traced_step)
    device = DevicePeak("cpu", 1e11, 1e10)
    found = estimates(costs.ops, OpClock(device), lambda op: op.site.name, {}, traced_step.hosts)
    by_name = {one.name: one.measured_us for one in found.rows}
    rows = table(op_events(traced_step.trace), "node")
    name = "small_1/pool_1/MaxPool2d"
    assert by_name[name] == pytest.approx(rows[name].self_us / 3)


def test_the_peak_of_a_gpu_is_what_its_plane_states(capture):
    (plane,) = capture("synthetic-gpu").space.devices
    peak = peak_of(plane)
    # 108 multiprocessors of 64 lanes at 1.41 GHz
    assert peak.flops == pytest.approx(19.49e12, rel=1e-3)
    assert peak.bytes == 1555e9


def test_a_gpu_that_states_nothing_has_no_peak(capture):
    (plane,) = capture("synthetic-gpu").space.host_threads
    assert peak_of(plane) is None


def test_ops_of_each_host_are_looked_at_by_its_own_clock():
    """Two hosts take their steps together, and one clock is an hour ahead."""
    from random_traces import capture_of_hosts

    from tfprof.analyses.runtime.step_average import step_average
    from tfprof.model.trace import Trace
    from tfprof.sources.xplane.ops import executions

    def threads(late):
        marks = [("train", late + at, 90, {"step_num": n}) for n, at in enumerate((0, 100, 200))]
        ops = [("a/MatMul:MatMul", late + at + 10, 20) for at in (0, 100, 200)]
        before = [("a/MatMul:MatMul", late - 50, 20)]
        return {"/host:CPU": {"python": marks, "tf_Compute/1": before + ops}}

    hour = 3600 * 1_000_000
    space = capture_of_hosts({"a": threads(100), "b": threads(hour)})
    rows, names = executions(space)
    found = step_average(Trace(rows, (), threads=names, space=space))
    assert found.steps == 3
    assert found.executions == 6
    assert found.op_us == pytest.approx(40)
