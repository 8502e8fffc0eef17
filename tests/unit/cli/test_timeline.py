"""`tfprof timeline`: what it writes passes a strict checker, and what it draws adds up."""

import gzip
import json
from collections import Counter
from decimal import Decimal

import chrome_trace
import numpy as np
import pytest
from run_cli import run
from tensorflow.tsl.profiler.protobuf import xplane_pb2

import tfprof
from tfprof.errors import OutputExists, UsageError

NOISE = "ThreadpoolListener::"


@pytest.fixture
def capture(samples):
    return lambda name: samples / f"xplane/{name}.xplane.pb"


@pytest.fixture
def written(tmp_path):
    """The events by phase of what `tfprof timeline ... -o` wrote, checked."""

    def write(*words, name="x.trace.json"):
        ran = run("timeline", *words, "-o", tmp_path / name, "--force")
        assert (ran.code, ran.out) == (0, ""), ran.err
        return chrome_trace.check(tmp_path / name)

    return write


def _picoseconds(value):
    return int(Decimal(value) * 1_000_000)


def _expected(path, *, noise=False):
    """(line, name, start, duration) of all events in TensorFlow's parse, from the first on."""
    found = []
    for plane in xplane_pb2.XSpace.FromString(path.read_bytes()).planes:
        names = {key: value.name for key, value in plane.event_metadata.items()}
        for line in plane.lines:
            base = line.timestamp_ns * 1000
            found += [
                (line.display_name or line.name, name, base + event.offset_ps, event.duration_ps)
                for event in line.events
                if (name := names[event.metadata_id]) and (noise or not name.startswith(NOISE))
            ]
    first = min(start for _, _, start, _ in found)
    return Counter((line, name, start - first, length) for line, name, start, length in found)


def _slices(events):
    titles = {
        (e["pid"], e["tid"]): e["args"].get("line", e["args"]["name"])
        for e in events["M"]
        if e["name"] == "thread_name"
    }
    return Counter(
        (titles[e["pid"], e["tid"]], e["name"], _picoseconds(e["ts"]), _picoseconds(e["dur"]))
        for e in events["X"]
    )


@pytest.mark.parametrize("name", ["slow-cb", "fast-xla", "tiny-pytracer", "synthetic-gpu"])
def test_a_trace_has_every_event_but_noise(capture, written, name):
    events = written(capture(name))
    assert _slices(events) == _expected(capture(name))


def test_all_is_all(capture, written):
    events = written(capture("fast-trace"), "--all")
    assert len(events["X"]) == 20_113
    assert _slices(events) == _expected(capture("fast-trace"), noise=True)


def test_ops_say_what_they_are(capture, written):
    events = written(capture("slow-cb"))
    (one, *_) = [e for e in events["X"] if e["name"].endswith(":Conv2DBackpropFilter")]
    node, _, kind = one["name"].partition(":")
    assert one["args"] == {"node": node, "op": kind}
    assert one["cat"] == "op"
    steps = [e["args"]["step_num"] for e in events["X"] if e["name"] == "Profiled batch"]
    assert steps == list(range(2, 10))
    assert {e["cat"] for e in events["X"] if e["name"].startswith("Iterator")} == {"tf.data"}


def test_args_writes_what_is_known_of_each_event(capture, written):
    events = written(capture("slow-cb"), "--args")
    roots = [e for e in events["X"] if e["name"] == "Iterator::Root::BatchV2"]
    assert roots
    for root in roots:
        assert root["args"]["shapes"] == "[?,64,64,3] [?]"
        assert root["args"]["batch_size"] == 16
    # ids above 2^63 keep all their digits
    ids = {e["args"]["id"] for e in events["X"] if "id" in e.get("args", {})}
    assert max(ids) > 2**62


def test_work_handed_on_is_a_flow(capture, written):
    events = written(capture("slow-cb"))
    assert len(events["s"]) == 627
    threads = {
        (e["pid"], e["tid"]): e["args"]["name"] for e in events["M"] if e["name"] == "thread_name"
    }

    def pool(event):
        return threads[event["pid"], event["tid"]].partition("/")[0]

    ends = Counter((pool(s), pool(f)) for s, f in zip(events["s"], events["f"], strict=True))
    assert ends["python", "tf_Compute"] > 500


def test_launches_lead_to_kernels(capture, written):
    events = written(capture("synthetic-gpu"))
    assert {e["name"] for e in events["s"]} == {"launch"}
    assert len(events["s"]) == 60
    devices = {e["pid"]: e["args"]["name"] for e in events["M"] if e["name"] == "process_name"}
    assert {devices[e["pid"]] for e in events["s"]} == {"/host:CPU"}
    assert {devices[e["pid"]] for e in events["f"]} == {"/device:GPU:0"}


def test_filters_leave_out_what_they_say_and_the_flows_of_it(capture, written):
    whole = _expected(capture("slow-cb"))
    events = written(capture("slow-cb"), "--thread", "^tf_Compute")
    assert _slices(events) == Counter({k: n for k, n in whole.items() if "tf_Compute" in k[0]})
    assert len(events["s"]) < 627
    events = written(capture("slow-cb"), "--min-duration", "100")
    assert _slices(events) == Counter({k: n for k, n in whole.items() if k[3] >= 100_000_000})
    events = written(capture("slow-cb"), "--from", "100", "--to", "200.5")
    low, high = 100_000_000_000, 200_500_000_000
    inside = {k: n for k, n in whole.items() if k[2] < high and k[2] + max(k[3], 1) > low}
    assert _slices(events) == Counter(inside)


def test_a_step_is_cut_out(capture, written):
    events = written(capture("slow-cb"), "--step", "5")
    (marker,) = [e for e in events["X"] if e["name"] == "Profiled batch"]
    assert marker["args"]["step_num"] == 5
    end = marker["ts"] + marker["dur"]
    assert all(e["ts"] < end for e in events["X"])
    assert all(e["ts"] + max(e["dur"], 1) > marker["ts"] for e in events["X"])


def test_run_metadata_becomes_lanes_without_overlap(unet, written):
    events = written(unet)
    run_rows = tfprof.load(unet).trace.executions
    assert len(events["X"]) == int((run_rows.start > 0).sum())
    relu = [e for e in events["X"] if e["args"].get("node") == "model/left0/conv0/Relu"]
    # as it was executed, not as the graph has it
    assert [e["args"]["op"] for e in relu] == ["_FusedConv2D"]
    assert relu[0]["args"]["output_shapes"] == "[1, 570, 570, 64]"
    threads = [e["args"] for e in events["M"] if e["name"] == "thread_name"]
    assert threads[0] == {"name": "all threads"}
    assert threads[1] == {"name": "all threads (2)", "line": "all threads"}
    ends = {}
    for e in events["X"]:  # nothing tells threads apart: nothing is inside anything
        assert e["ts"] >= ends.get(e["tid"], 0)
        ends[e["tid"]] = e["ts"] + e["dur"]


def test_memory_of_a_run_is_a_counter(unet, written):
    events = written(unet)
    assert {e["name"] for e in events["C"]} == {"memory cpu"}
    notes = tfprof.load(unet).trace.allocations()
    order = np.argsort(notes.micros, kind="stable")
    moments = np.unique(notes.micros)
    assert len(events["C"]) == len(moments)
    assert events["C"][-1]["args"]["bytes in use"] == int(notes.bytes.sum())
    total = np.cumsum(notes.bytes[order])
    last = np.searchsorted(notes.micros[order], moments, side="right") - 1
    assert [e["args"]["bytes in use"] for e in events["C"]] == total[last].tolist()


@pytest.mark.parametrize("name", ["slow-cb", "fast-xla", "synthetic-gpu", "tiny-pytracer"])
def test_a_trace_read_back_has_the_same_events(capture, written, tmp_path, name):
    written(capture(name), name="a.trace.json.gz")
    again = written(tmp_path / "a.trace.json.gz", name="b.trace.json")
    assert _slices(again) == _expected(capture(name))


def test_a_run_read_back_is_the_same_run(unet, written, tmp_path):
    first = _slices(written(unet, name="a.trace.json"))
    assert _slices(written(tmp_path / "a.trace.json", name="b.trace.json")) == first
    ours, theirs = (tfprof.load(p).trace.executions for p in (unet, tmp_path / "a.trace.json"))
    times = {theirs.node[i]: int(theirs.op_end_rel[i]) for i in range(len(theirs))}
    for i in range(len(ours)):
        if ours.node[i] in times and ours.op_end_rel[i] > 5:
            assert times[ours.node[i]] == pytest.approx(ours.op_end_rel[i], abs=2)
    assert set(theirs.device.table) == set(ours.device.table)


def test_the_same_capture_gives_the_same_bytes(capture, tmp_path):
    names = ["a.trace.json.gz", "b.trace.json.gz"]
    for name in names:
        assert run("timeline", capture("tiny-htl1"), "-o", tmp_path / name).code == 0
    first, second = ((tmp_path / name).read_bytes() for name in names)
    assert first == second
    assert gzip.decompress(first).endswith(b"\n]}\n")


def test_lanes_of_a_typical_step(capture, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("timeline", capture("slow-cb"))
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 32
    assert "step 8, the typical one of 2 to 9: 244.7 ms" in ran.out
    assert "IteratorGetNextOp::DoCompute" in ran.out
    data = json.loads(run("timeline", capture("slow-cb"), "--json").out)["data"]
    assert data["window"]["step"] == 8
    length = data["window"]["to_us"] - data["window"]["from_us"]
    python = next(lane for lane in data["lanes"] if lane["thread"] == "python")
    assert python["device"] == "/cpu:0"
    assert python["busy_us"] == pytest.approx(length)
    assert all(lane["busy_us"] <= length * 1.000001 for lane in data["lanes"])


def test_critical_path_of_an_input_bound_step(capture):
    path = json.loads(run("timeline", capture("slow-cb"), "--json").out)["data"]["critical_path"]
    assert path["top"][0]["op"] == "IteratorGetNextOp::DoCompute"
    # over half of every step of this capture waits for input
    assert path["top"][0]["time_us"] / path["time_us"] > 0.55
    ends = 0
    for link in path["path"]:
        assert link["start_us"] >= ends - 1
        ends = link["start_us"] + link["time_us"]


def test_critical_path_of_a_gpu_step(capture):
    """Known: 60 ms of input, 30 ms of kernels and a copy of 3 ms in a period of 100 ms."""
    path = json.loads(run("timeline", capture("synthetic-gpu"), "--json").out)["data"]
    top = {row["op"]: row["time_us"] for row in path["critical_path"]["top"]}
    assert top == {
        "IteratorGetNextOp::DoCompute": 60_000, "volta_sgemm_128x64_nn": 30_000, "MemcpyH2D": 3_000,
    }  # fmt: skip


def test_critical_path_of_a_run_follows_inputs(unet):
    data = json.loads(run("timeline", unet, "--json").out)["data"]
    path = data["critical_path"]
    span = data["window"]["to_us"] - data["window"]["from_us"]
    assert path["time_us"] + path["wait_us"] == pytest.approx(span, rel=0.01)
    assert path["by_data"] > 200
    assert path["path"][-1]["start_us"] + path["path"][-1]["time_us"] == pytest.approx(span)


def test_a_stretch_has_no_more_than_its_time(unet):
    ran = run("timeline", unet, "--from", "13000", "--to", "25000", "--json")
    data = json.loads(ran.out)["data"]
    assert data["window"] == {"step": None, "from_us": 13e6, "to_us": 25e6}
    path = data["critical_path"]
    assert path["time_us"] + path["wait_us"] <= 12e6
    assert all(lane["busy_us"] <= 12e6 for lane in data["lanes"])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--step", "99"], 2, "Steps are 2 to 9"),
        (["--thread", "("], 2, "no regular expression"),
        (["--from", "5", "--to", "1"], 2, "is not before"),
        (["--from", "1e9"], 2, "is behind the end"),
        (["--thread", "nobody"], 2, "no event is left"),
        (["--min-duration", "-1"], 2, "takes microseconds"),
        (["-o", "x.json.gz"], 2, ".trace.json.gz"),
        (["-o", "nowhere/x.trace.json"], 5, "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said(capture, tmp_path, monkeypatch, words, code, said):
    monkeypatch.chdir(tmp_path)
    ran = run("timeline", capture("slow-cb"), *words)
    assert ran.code == code
    assert said in ran.err
    assert not list(tmp_path.iterdir())


def test_a_graph_alone_has_no_timeline(samples):
    ran = run("timeline", samples / "keras_mlp_train.graph.pb")
    assert ran.code == 3
    assert "no run" in ran.err


def test_an_existing_file_is_kept(capture, tmp_path):
    target = tmp_path / "x.trace.json"
    target.write_text("mine")
    assert run("timeline", capture("tiny-htl1"), "-o", target).code == 5
    assert target.read_text() == "mine"
    assert run("timeline", capture("tiny-htl1"), "-o", target, "--force").code == 0
    chrome_trace.check(target)
    assert list(tmp_path.iterdir()) == [target]


def test_json_with_a_suffix_is_the_answer_not_the_trace(capture, tmp_path):
    assert run("timeline", capture("tiny-htl1"), "-o", tmp_path / "x.json").code == 0
    assert json.loads((tmp_path / "x.json").read_text())["command"] == "timeline"


def test_the_same_in_python(capture, tmp_path):
    answer = tfprof.load(capture("slow-cb")).timeline(step=3)
    assert "step 3, of 2 to 9" in str(answer)
    frame = answer.to_csv().splitlines()
    assert frame[0] == "device,thread,events,busy_us"
    target = answer.write(tmp_path / "x.trace.json.gz")
    assert len([e for e in chrome_trace.check(target)["X"] if e["name"] == "Profiled batch"]) == 1
    with pytest.raises(OutputExists):
        answer.write(target)
    with pytest.raises(UsageError):
        answer.write(tmp_path / "x.json")
