"""Chrome traces as runs: those of TensorFlow 1, of XProf, hand-made ones, and damaged ones."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from run_cli import run
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client.timeline import Timeline

import tfprof
from tfprof.errors import CorruptFile, WrongKind
from tfprof.sources.find.recognise import recognise

TIMELINES = Path(__file__).parents[3] / "timelines"

SLICE = {"ph": "X", "pid": 1, "tid": 7, "ts": 10, "dur": 5, "name": "a/MatMul:MatMul"}


@pytest.fixture
def put(tmp_path):
    def write(content, name="x.trace.json"):
        path = tmp_path / name
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        return path

    return write


def events_of(path):
    """(plane, line, name, start in ps, duration in ps), by plane and line."""
    found = []
    for plane in tfprof.load(path).trace.space.planes:
        for line in range(len(plane.lines)):
            span = plane.rows_of_line(line)
            for row in range(span.start, span.stop):
                start, length = int(plane.events.start_ps[row]), int(plane.events.duration_ps[row])
                found.append((plane.name, plane.line_name(line), plane.name_of(row), start, length))
    return found


def test_tensorflow_1_timeline_has_the_nodes_and_times_of_its_run(unet, put):
    run_meta = config_pb2.RunMetadata.FromString((unet / "run_meta").read_bytes())
    text = Timeline(run_meta.step_stats).generate_chrome_trace_format(show_memory=True)
    path = put(text.encode(), "timeline_1.json")
    assert recognise(path).name == "Chrome trace"
    rows = tfprof.load(path).trace.executions
    (device,) = run_meta.step_stats.dev_stats
    told = {
        node.node_name: (node.all_start_micros, node.all_end_rel_micros)
        for node in device.node_stats
    }
    assert set(rows.device.table) == {device.device}
    assert len(rows) > 500
    for i in range(len(rows)):
        assert (rows.start[i], max(1, rows.op_end_rel[i])) == (
            told[rows.node[i]][0],
            max(1, told[rows.node[i]][1]),
        )
    assert {"_FusedConv2D", "Conv2DBackpropFilter"} <= set(rows.op.table)


def test_xprof_export_has_the_ops_of_its_capture(samples):
    """XProf names an op by its type and has the node in the arguments, all of them as strings."""
    theirs = tfprof.load(TIMELINES / "xprof.trace.json.gz").trace
    ours = tfprof.load(samples / "tiny.xplane.pb").trace

    def ops(trace):
        rows = trace.executions
        return sorted(
            (rows.node[i], rows.op[i], int(rows.duration_ps[i])) for i in range(len(rows))
        )

    assert ops(theirs) == ops(ours)
    assert theirs.steps == (0, 1, 2)


def test_xprof_export_of_a_gpu_counts_a_kernel_once():
    ran = run("timeline", TIMELINES / "xprof-gpu.trace.json.gz", "--json")
    top = {r["op"]: r["time_us"] for r in json.loads(ran.out)["data"]["critical_path"]["top"]}
    assert top["volta_sgemm_128x64_nn"] == 30_000
    rows = tfprof.load(TIMELINES / "xprof-gpu.trace.json.gz").trace.executions
    assert rows.op.counts() == {"MatMul": 50, "(copies to the device)": 10}


@pytest.mark.parametrize("name", ["x.trace.json", "x.trace.json.gz", "anything"])
@pytest.mark.parametrize("layout", [list, lambda events: {"a": {"b": [1]}, "traceEvents": events}])
def test_both_layouts_packed_or_not(put, layout, name):
    assert events_of(put(layout([SLICE]), name)) == [
        ("process 1", "thread 7", "a/MatMul:MatMul", 0, 5_000_000)
    ]


def test_names_of_processes_and_threads_may_come_last(put):
    path = put([
        SLICE,
        {"ph": "M", "pid": 1, "tid": 7, "name": "thread_name", "args": {"name": "main"}},
        {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/host:CPU"}},
    ])  # fmt: skip
    assert events_of(path) == [("/host:CPU", "main", "a/MatMul:MatMul", 0, 5_000_000)]
    rows = tfprof.load(path).trace.executions
    assert (rows.node[0], rows.op[0], rows.device[0]) == ("a/MatMul", "MatMul", "/device:CPU:0")


def test_beginnings_meet_their_ends(put):
    def half(phase, ts, **more):
        return {"ph": phase, "pid": 1, "tid": 1, "ts": ts, **more}

    path = put([
        half("B", 1, name="outer", args={"a": 1}),
        half("B", 2, name="inner"),
        half("E", 3.5),
        half("E", 9, args={"b": "x"}),
        half("E", 10),
        half("B", 11, name="open"),
    ])  # fmt: skip
    assert [event[2:] for event in events_of(path)] == [
        ("outer", 0, 8_000_000), ("inner", 1_000_000, 1_500_000)
    ]  # fmt: skip
    (plane,) = tfprof.load(path).trace.space.planes
    assert plane.stat("a").ints().tolist() == [1]
    assert plane.stat("b").texts()[0] == "x"
    warnings = tfprof.load(path).data.warnings
    assert any("1 events end without a beginning" in text for text in warnings)
    assert any("1 events begin without an end" in text for text in warnings)


def test_arguments_are_stats_of_their_kind(put):
    args = {"i": -5, "u": 2**63 + 1, "f": 0.25, "s": "ä", "n": "17", "l": [1], "t": True}
    (plane,) = tfprof.load(put([{**SLICE, "args": args}])).trace.space.planes
    assert plane.stat("i").ints().tolist() == [-5]
    assert plane.stat("u").ints().view(np.uint64).tolist() == [2**63 + 1]
    assert plane.stat("f").floats().tolist() == [0.25]
    assert plane.stat("s").texts()[0] == "ä"
    assert plane.stat("n").ints().tolist() == [17]
    assert plane.stat("l").texts()[0] == "[1]"
    assert plane.stat("t").ints().tolist() == [1]


def test_times_of_a_calendar_keep_their_microseconds(put):
    first = 1_794_766_586_026_942
    events = [{**SLICE, "ts": first}, {**SLICE, "ts": first + 3}]
    trace = tfprof.load(put(events)).trace
    assert [event[3] for event in events_of(put(events))] == [0, 3_000_000]
    assert trace.space.origin_ns == first * 1000


def test_what_is_no_slice_is_passed_over(put):
    odd = [
        {"ph": "C", "pid": 1, "ts": 1, "name": "memory", "args": {"a": 1}},
        {"ph": "b", "pid": 1, "ts": 1, "id": 1, "name": "request"},
        {"ph": "X", "pid": 1, "name": "no time"},
        {"ph": "X", "pid": 1, "ts": "soon", "name": "no number"},
        {"ph": "X", "pid": [], "tid": {}, "ts": 1, "dur": None, "name": "odd"},
        {}, None, 5, {"ph": ["X"]}, {"ph": "M", "pid": 1, "name": "process_name", "args": 3},
    ]  # fmt: skip
    path = put([SLICE, *odd])
    assert len(events_of(path)) == 1
    warnings = tfprof.load(path).data.warnings
    assert any("1 events are asynchronous; left out" in text for text in warnings)
    assert any("3 events have no time; left out" in text for text in warnings)


@pytest.mark.parametrize("name", ["x.trace.json", "x.trace.json.gz"])
def test_a_file_that_ends_early_is_read_as_far_as_it_goes(put, name):
    many = {"traceEvents": [{**SLICE, "ts": n} for n in range(20_000)]}
    path = put(many, name)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    found = tfprof.load(path)
    assert 5_000 < found.trace.space.event_count < 15_000
    assert any("ends early" in text for text in found.data.warnings)
    assert run("summary", path).code == 0


def test_the_last_bracket_may_be_missing(put):
    """Chrome itself leaves it out."""
    text = b"[" + json.dumps(SLICE).encode() + b",\n" + json.dumps(SLICE).encode() + b",\n"
    assert len(events_of(put(text))) == 2


@pytest.mark.parametrize(
    ("content", "name", "kind", "said"),
    [
        (b"hello", "x.trace.json", WrongKind, "this is"),
        (b'{"traceEvents": []}', "x.trace.json", WrongKind, "without events"),
        (b'{"traceEvents": {}}', "x.json", WrongKind, "without events"),
        (b"[", "x.trace.json", WrongKind, "without events"),
        (b'{"a": 1}', "x.trace.json", WrongKind, "without events"),
        (
            b'{"traceEvents": [{"ph": "X" "ts": 1, "pid": 1}]}',
            "x.trace.json",
            CorruptFile,
            "at byte 28",
        ),
        (b'{"traceEvents" [1]}', "x.trace.json", CorruptFile, "colon"),
        (b'{"traceEvents": [1], "a": ' + b"[" * 100_000, "x.trace.json", CorruptFile, "deeply"),
    ],
)
def test_what_is_no_trace_is_said(put, content, name, kind, said):
    path = put(content, name)
    with pytest.raises(kind) as fault:
        tfprof.load(path)
    assert said in str(fault.value)
    assert run("timeline", path).code == 4


@pytest.mark.parametrize("place", [3, 12, 60, -6])
def test_damaged_gzip_is_said(put, place):
    path = put(
        {"traceEvents": [{**SLICE, "ts": n * 7919 % 5003} for n in range(3000)]}, "x.trace.json.gz"
    )
    data = bytearray(path.read_bytes())
    data[place] ^= 0xFF
    path.write_bytes(data)
    ran = run("timeline", path)
    assert ran.code in {0, 4}  # a flipped bit of a time stamp or of the compression is no damage
    if ran.code == 4:
        assert "gzip" in ran.err or "no JSON" in ran.err or "events" in ran.err
    if place == -6:
        assert "gzip" in ran.err


def test_beside_a_run_its_trace_is_passed_over(unet, tmp_path):
    for name in ("graph.pb", "run_meta"):
        (tmp_path / name).write_bytes((unet / name).read_bytes())
    assert run("timeline", tmp_path, "-o", tmp_path / "unet.trace.json.gz").code == 0
    data = tfprof.load(tmp_path).data
    (drawn,) = [i for i in data.inputs if i.format == "Chrome trace"]
    assert not drawn.used
    assert drawn.why == "the run is in run_meta"


@pytest.mark.parametrize("indent", [None, 1])
def test_events_with_lists_of_objects_inside_are_kept_apart(put, indent):
    """Large enough that events are decoded many at a time."""
    inner = [{"a": n} for n in range(60)]
    many = [{**SLICE, "ts": n, "args": {"list": inner, "n": n}} for n in range(2000)]
    text = json.dumps({"traceEvents": many, "otherData": {"origin_ns": 5}}, indent=indent)
    space = tfprof.load(put(text.encode())).trace.space
    assert space.planes[0].stat("n").ints().tolist() == list(range(2000))
    assert json.loads(space.planes[0].stat("list").texts()[0]) == inner
    assert space.origin_ns == 5
