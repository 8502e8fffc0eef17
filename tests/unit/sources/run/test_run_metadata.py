"""Run metadata as columns, each recomputed from TensorFlow's parse of the same file."""

import made_by_tensorflow
import pytest
import tensorflow as tf
from google.protobuf import text_format

from tfprof.sources.find.load import Request, choose, read

SAMPLES = [
    "keras_mlp_train_b8_default.runmeta.pb",
    "resnet50_infer_b1.runmeta.pb",
    "resnet32/run_meta",
]


def load(*paths, **named):
    (selection,) = choose(Request(list(paths), named)).selections
    return read(selection)


@pytest.fixture(scope="module", params=[*SAMPLES, "unet"])
def capture(request, samples, unet):
    """A file and TensorFlow's parse of it."""
    path = unet / "run_meta" if request.param == "unet" else samples / request.param
    return path, tf.compat.v1.RunMetadata.FromString(path.read_bytes())


def _records(run):
    return [(d, n) for d in run.step_stats.dev_stats for n in d.node_stats]


def _extra(node):
    return node.memory_stats.temp_memory_size, node.memory_stats.persistent_memory_size


def _output(node):
    """Outputs that have an allocation description: the larger of its two sizes."""
    descriptions = [
        output.tensor_description.allocation_description
        for output in node.output
        if output.tensor_description.HasField("allocation_description")
    ]
    return sum(max(d.allocated_bytes, d.requested_bytes) for d in descriptions)


COLUMNS = {
    "start": lambda n: n.all_start_micros,
    "op_start_rel": lambda n: n.op_start_rel_micros,
    "op_end_rel": lambda n: n.op_end_rel_micros,
    "end_rel": lambda n: n.all_end_rel_micros,
    "thread": lambda n: n.thread_id,
    "requested": lambda n: sum(m.total_bytes for m in n.memory) + sum(_extra(n)),
    "peak": lambda n: sum(m.peak_bytes for m in n.memory) + sum(_extra(n)),
    "residual": lambda n: sum(m.live_bytes for m in n.memory) + _extra(n)[1],
    "output": _output,
}


@pytest.mark.parametrize("column", COLUMNS)
def test_numbers_of_every_execution_are_those_of_the_file(capture, column):
    path, run = capture
    ours = getattr(load(path).trace.executions, column).tolist()
    assert ours == [COLUMNS[column](node) for _, node in _records(run)]


def test_names_and_devices_of_every_execution_are_those_of_the_file(capture):
    path, run = capture
    rows = load(path).trace.executions
    ours = [(rows.device[i], rows.node[i]) for i in range(len(rows))]
    assert ours == [(device.device, node.node_name) for device, node in _records(run)]
    assert len(ours) > 5


def test_threads_have_the_names_of_the_file(capture):
    path, run = capture
    theirs = {
        thread: name for d in run.step_stats.dev_stats for thread, name in d.thread_names.items()
    }
    assert dict(load(path).trace.threads) == theirs


def _same_graphs(partitions, run):
    theirs = [("partition", g) for g in run.partition_graphs]
    of_functions = (
        ("function partition", lambda f: f.partition_graphs),
        ("function before optimization", lambda f: [f.pre_optimization_graph]),
        ("function after optimization", lambda f: [f.post_optimization_graph]),
    )
    for kind, graphs in of_functions:
        theirs += [(kind, g) for f in run.function_graphs for g in graphs(f)]
    assert [p.kind for p in partitions] == [kind for kind, _ in theirs]
    for ours, (_, graph) in zip(partitions, theirs, strict=True):
        loaded = ours.load()
        assert loaded.names == [node.name for node in graph.node]
        assert [loaded.ops[i] for i in range(len(loaded))] == [node.op for node in graph.node]
    return len(theirs)


def test_graphs_as_executed_are_those_of_the_file(capture):
    path, run = capture
    _same_graphs(load(path).trace.partitions, run)


def test_graphs_of_functions_are_those_of_the_file(tmp_path):
    path = tmp_path / "run_meta"
    path.write_bytes(made_by_tensorflow.eager_run_metadata())
    run = tf.compat.v1.RunMetadata.FromString(path.read_bytes())
    assert len(run.function_graphs) == 1
    assert _same_graphs(load(path).trace.partitions, run) >= 4


def test_the_record_behind_an_execution_is_the_whole_one(capture):
    path, run = capture
    trace = load(path).trace
    records = _records(run)
    for row in (0, len(records) // 2, len(records) - 1):
        ours = type(records[row][1]).FromString(trace.record(row).SerializeToString())
        assert ours == records[row][1]


def test_several_files_are_several_steps_in_the_order_given(samples):
    first, second = samples / SAMPLES[2], samples / SAMPLES[1]
    trace = load(first, second).trace
    alone = [load(path).trace for path in (first, second)]
    assert trace.steps == (0, 1)
    counts = [len(t.executions) for t in alone]
    assert trace.executions.step.tolist() == [0] * counts[0] + [1] * counts[1]
    names = [trace.executions.node[i] for i in range(len(trace.executions))]
    assert names == [t.executions.node[i] for t in alone for i in range(len(t.executions))]
    assert trace.executions.requested.tolist() == [
        int(n) for t in alone for n in t.executions.requested
    ]
    assert trace.record(counts[0]).node_name == alone[1].executions.node[0]
    assert trace.record(counts[0] - 1).node_name == alone[0].executions.node[counts[0] - 1]
    assert {p.step for p in trace.partitions} == {0, 1}


def test_files_named_by_the_flag_are_steps_too(samples):
    paths = [samples / SAMPLES[0], samples / SAMPLES[0]]
    assert load(run_meta_path=paths).trace.steps == (0, 1)


def test_text_run_metadata_gives_the_same_columns(samples, tmp_path):
    path = samples / SAMPLES[0]
    run = tf.compat.v1.RunMetadata.FromString(path.read_bytes())
    text = tmp_path / "whatever"
    text.write_text(text_format.MessageToString(run), encoding="utf-8")
    data, binary = load(text), load(path)
    assert data.inputs[0].format == "RunMetadata text"
    ours, theirs = data.trace.executions, binary.trace.executions
    for column in COLUMNS:
        assert getattr(ours, column).tolist() == getattr(theirs, column).tolist()
    assert [ours.node[i] for i in range(len(ours))] == [theirs.node[i] for i in range(len(theirs))]
    assert dict(data.trace.threads) == dict(binary.trace.threads)


def test_run_metadata_without_step_stats_warns_how_to_get_them(samples, tmp_path):
    run = tf.compat.v1.RunMetadata.FromString((samples / "resnet32/run_meta").read_bytes())
    run.ClearField("step_stats")
    path = tmp_path / "run_meta"
    path.write_bytes(run.SerializeToString())
    data = load(path)
    assert len(data.trace.executions) == 0
    assert any("FULL_TRACE" in warning for warning in data.warnings)
    assert [p.kind for p in data.trace.partitions] == ["partition"] * len(run.partition_graphs)


def test_memory_adds_all_allocators_and_promotes_nothing(tmp_path):
    """The worked example: allocators 1000/900/800 and 10/9/8, 100 temporary, 7 persistent."""
    run = tf.compat.v1.RunMetadata()
    device = run.step_stats.dev_stats.add(device="/job:localhost/replica:0/task:0/device:CPU:0")
    node = device.node_stats.add(node_name="a", all_start_micros=100, op_end_rel_micros=50)
    node.memory.add(allocator_name="x", total_bytes=1000, peak_bytes=900, live_bytes=800)
    node.memory.add(allocator_name="y", total_bytes=10, peak_bytes=9, live_bytes=8)
    node.memory_stats.temp_memory_size = 100
    node.memory_stats.persistent_memory_size = 7
    device.node_stats.add(node_name="b", all_start_micros=-3)
    path = tmp_path / "run_meta"
    path.write_bytes(run.SerializeToString())
    rows = load(path).trace.executions
    assert rows.requested.tolist() == [1117, 0]
    assert rows.peak.tolist() == [1016, 0]
    assert rows.residual.tolist() == [815, 0]
    assert rows.start.tolist() == [100, -3]
