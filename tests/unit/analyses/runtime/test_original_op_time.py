"""Time of a run against the original's engine, which TensorFlow still ships."""

import made_by_tensorflow  # noqa: F401  (settles TensorFlow before its engine is used)
import pytest
import tensorflow as tf
from tensorflow.core.profiler import tfprof_options_pb2, tfprof_output_pb2
from tensorflow.python.util import _pywrap_tfprof as engine

from tfprof.analyses.runtime.original_op_time import op_micros
from tfprof.analyses.runtime.step_average import step_average
from tfprof.sources.find.load import Request, choose, read


def trace_of(*paths):
    (selection,) = choose(Request(list(paths))).selections
    return read(selection).trace


def _engine_total(graph, run):
    """The root of the engine's scope view with everything accounted."""
    options = tfprof_options_pb2.OptionsProto(
        max_depth=10_000,
        step=-1,
        order_by="name",
        account_type_regexes=[".*"],
        start_name_regexes=[".*"],
        show_name_regexes=[".*"],
        select=["micros"],
        output="none",
    )
    made = engine.PrintModelAnalysis(graph, run, b"", b"scope", options.SerializeToString())
    return tfprof_output_pb2.GraphNodeProto.FromString(made)


CAPTURES = {
    "unet": ("graph.pb", "run_meta"),
    "resnet32": ("resnet32/graph.pb", "resnet32/run_meta"),
    "mlp": ("keras_mlp_train.graph.pb", "keras_mlp_train_b8_default.runmeta.pb"),
}


@pytest.fixture(params=CAPTURES)
def capture(request, samples, unet):
    folder = unet if request.param == "unet" else samples
    graph, run = (folder / name for name in CAPTURES[request.param])
    return run, _engine_total(graph.read_bytes(), run.read_bytes())


def test_op_time_is_the_engines_total(capture):
    run, root = capture
    assert step_average(trace_of(run)).op_us == root.total_exec_micros


def test_requested_bytes_are_the_engines_total(capture):
    run, root = capture
    assert step_average(trace_of(run)).requested == root.total_requested_bytes


def test_time_of_every_node_is_the_engines(capture):
    run, root = capture
    theirs, waiting = {}, [root]
    while waiting:
        node = waiting.pop()
        theirs[node.name] = node.exec_micros
        waiting += node.children
    ours = {node.name: node.micros for node in step_average(trace_of(run)).nodes if node.micros}
    assert ours == {name: micros for name, micros in theirs.items() if micros}


def test_nodes_add_up_and_come_costliest_first(capture):
    run, _ = capture
    cost = step_average(trace_of(run))
    assert sum(node.micros for node in cost.nodes) == cost.op_us
    assert sum(node.requested for node in cost.nodes) == cost.requested
    assert sum(cost.devices.values()) == cost.op_us
    micros = [node.micros for node in cost.nodes]
    assert micros == sorted(micros, reverse=True)


def test_the_span_is_from_the_first_start_to_the_last_end(unet):
    run = tf.compat.v1.RunMetadata.FromString((unet / "run_meta").read_bytes())
    nodes = [n for d in run.step_stats.dev_stats for n in d.node_stats if n.all_start_micros > 0]
    first = min(n.all_start_micros for n in nodes)
    last = max(n.all_start_micros + n.all_end_rel_micros for n in nodes)
    assert step_average(trace_of(unet / "run_meta")).span_us == last - first


def test_two_equal_steps_are_one_on_average(unet):
    one = step_average(trace_of(unet / "run_meta"))
    two = step_average(trace_of(unet / "run_meta", unet / "run_meta"))
    assert two.steps == 2
    assert (two.op_us, two.span_us, two.requested) == (one.op_us, one.span_us, one.requested)
    assert two.devices == one.devices


DEVICES = {
    "/job:x/replica:0/task:0/device:GPU:0": 50,
    "/gpu:0": 50,
    "/job:localhost/replica:0/task:0/device:CPU:0": 50,
    "/job:x/replica:0/task:0/cpu:0": 50,
    "/device:GPU:0/stream:all": 50,
    "/device:GPU:0/stream:12": 0,
    "/device:GPU:0/memcpy": 0,
    "/device:XLA_GPU:0": 0,
    "/job:x/replica:0/task:0/device:TPU:0": 0,
    "/host:CPU": 0,
    "cpu:0": 0,
    "/device:CPU:0 Compute": 0,
}


@pytest.fixture
def written(tmp_path):
    def write(device, nodes):
        run = tf.compat.v1.RunMetadata()
        stats = run.step_stats.dev_stats.add(device=device)
        for name, start, end in nodes:
            stats.node_stats.add(node_name=name, all_start_micros=start, op_end_rel_micros=end)
        path = tmp_path / "run_meta"
        path.write_bytes(run.SerializeToString())
        return path

    return write


@pytest.mark.parametrize("device", DEVICES)
def test_devices_are_timed_as_the_engine_times_them(written, device):
    path = written(device, [("a", 100, 50)])
    assert op_micros(trace_of(path).executions).tolist() == [DEVICES[device]]
    root = _engine_total(_one_node("a"), path.read_bytes())
    assert root.total_exec_micros == DEVICES[device]


def _one_node(name):
    graph = tf.compat.v1.GraphDef()
    graph.node.add(name=name, op="NoOp")
    return graph.SerializeToString()


@pytest.mark.parametrize(("start", "end", "micros"), [(100, 0, 1), (0, 50, 0), (100, 7, 7)])
def test_an_op_faster_than_the_clock_took_one_microsecond(written, start, end, micros):
    path = written("/device:CPU:0", [("a", start, end)])
    assert step_average(trace_of(path)).op_us == micros
    assert _engine_total(_one_node("a"), path.read_bytes()).total_exec_micros == micros


@pytest.mark.parametrize("name", ["_SOURCE", "RecvTensor", "edge_5_MEMCPYDtoH"])
def test_what_is_no_node_of_a_model_costs_nothing(written, name):
    path = written("/device:CPU:0", [("a", 100, 50), (name, 100, 7)])
    assert _engine_total(_one_node("a"), path.read_bytes()).total_exec_micros == 50
    assert step_average(trace_of(path)).op_us == 50


def test_runs_of_one_node_under_several_labels_are_one_node(written):
    path = written("/device:CPU:0", [("a:MatMul", 100, 5), ("a", 200, 6), ("b:Add", 300, 1)])
    nodes = {node.name: (node.runs, node.micros) for node in step_average(trace_of(path)).nodes}
    assert nodes == {"a": (2, 11), "b": (1, 1)}
