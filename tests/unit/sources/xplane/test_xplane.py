"""Captures of TensorFlow 2 as traces, against TensorFlow's parse and known values of samples."""

import os
import re

import numpy as np
import pytest
from tensorflow.compiler.xla.service import hlo_pb2
from tensorflow.tsl.profiler.protobuf import xplane_pb2

from tfprof.errors import CorruptFile, EmptyFile
from tfprof.sources.find.load import Request, choose, read

EVENTS = {
    "slow-cb": 22_837, "fast-cb": 20_753, "slow-trace": 22_038, "fast-trace": 20_113,
    "fast-xla": 18_366, "tiny-pytracer": 1_611, "tiny-htl1": 36, "synthetic-gpu": 150,
}  # fmt: skip
NAMED = [("slow-cb", "tiny-pytracer"), ("tiny-pytracer", "slow-cb")]
OP = re.compile(r"([A-Za-z0-9.][A-Za-z0-9_./>-]*):([A-Z_][a-zA-Z0-9_]*)")


def load(*paths):
    (selection,) = choose(Request(list(paths))).selections
    return read(selection)


@pytest.fixture
def sample(samples):
    return lambda name: samples / f"xplane/{name}.xplane.pb"


def parsed(path):
    return xplane_pb2.XSpace.FromString(path.read_bytes())


@pytest.fixture
def put(tmp_path):
    def write(space, name="vm.xplane.pb"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(space.SerializeToString())
        return path

    return write


def small(host="vm", base=1000, start=None):
    """A capture of one thread that runs `a/MatMul` twice."""
    space = xplane_pb2.XSpace(hostnames=[host])
    plane = space.planes.add(name="/host:CPU")
    plane.event_metadata[1].name = "a/MatMul:MatMul"
    line = plane.lines.add(id=5, name="thread", timestamp_ns=base)
    line.events.add(metadata_id=1, offset_ps=2_000_000, duration_ps=1_400_000)
    line.events.add(metadata_id=1, offset_ps=9_000_000, duration_ps=600_000)
    if start is not None:
        environment = space.planes.add(name="Task Environment")
        environment.stat_metadata[1].name = "profile_start_time"
        environment.stats.add(metadata_id=1, uint64_value=start)
    return space


@pytest.mark.parametrize("name", EVENTS)
def test_no_event_is_lost(sample, name):
    assert load(sample(name)).trace.space.event_count == EVENTS[name]


# what XLA compiled and ran: 84 instructions in each of 8 steps
INSTRUCTIONS = {"fast-xla": 84 * 8}


@pytest.mark.parametrize("name", ["slow-cb", "fast-trace", "fast-xla", "tiny-pytracer"])
def test_executions_are_the_events_that_name_an_op(sample, name):
    """Node, type, thread and time of each, as TensorFlow's parse has them."""
    space = parsed(sample(name))
    trace = load(sample(name)).trace
    (plane,) = (p for p in space.planes if p.name == "/host:CPU")
    expected = []
    for line in plane.lines:
        for event in line.events:
            op = OP.fullmatch(plane.event_metadata[event.metadata_id].name)
            if op:
                expected.append((op[1], op[2], line.name, event.duration_ps))
    rows = trace.executions
    ours = [
        (rows.node[i], rows.op[i], trace.threads[int(rows.thread[i])], int(rows.duration_ps[i]))
        for i in range(len(rows))
    ]
    assert ours[: len(expected)] == expected
    others = rows.begins[len(expected) :]
    assert others.sum() == INSTRUCTIONS.get(name, 0)
    # an instruction goes on on other threads
    assert len(others) == others.sum() or name in INSTRUCTIONS
    assert set(rows.device.table) == {"/host:vm/device:CPU:0"}
    assert (np.abs(rows.op_end_rel * 1_000_000 - rows.duration_ps) <= 500_000).all()


def test_instructions_of_xla_are_the_ops_they_were_compiled_from(sample):
    """By the program in the file, as XLA's own messages have it."""
    space = parsed(sample("fast-xla"))
    (programs,) = (p for p in space.planes if p.name == "/host:metadata")
    (described,) = programs.event_metadata.values()
    (stat,) = described.stats
    module = hlo_pb2.HloProto.FromString(stat.bytes_value).hlo_module
    told = {
        one.name: (one.metadata.op_name, one.metadata.op_type)
        for computation in module.computations
        for one in computation.instructions
    }
    trace = load(sample("fast-xla")).trace
    rows = trace.executions
    (plane,) = trace.space.host_threads
    before = sum(len(one.events) for one in trace.space.planes[: trace.space.planes.index(plane)])
    has_told = [plane.name_of(int(rows.event[i]) - before) in told for i in range(len(rows))]
    named = [
        (plane.name_of(int(rows.event[i]) - before), rows.node[i], rows.op[i])
        for i in np.flatnonzero(has_told & rows.begins)
    ]
    assert len(named) == INSTRUCTIONS["fast-xla"]
    known = [one for one in named if told[one[0]][0]]
    assert len(known) == 60 * 8
    assert all(told[name] == (node, op) for name, node, op in known)
    # what says nothing of its op is itself
    assert {node for name, node, _ in named if name == "copy.30"} == {"copy.30"}


def test_starts_of_executions_are_times_of_the_calendar(sample):
    space = parsed(sample("slow-cb"))
    (environment,) = (p for p in space.planes if p.name == "Task Environment")
    names = {key: value.name for key, value in environment.stat_metadata.items()}
    told = {names[stat.metadata_id]: stat.uint64_value for stat in environment.stats}
    trace = load(sample("slow-cb")).trace
    assert (trace.executions.start * 1000 >= told["profile_start_time"]).all()
    assert (trace.executions.start * 1000 <= told["profile_stop_time"]).all()
    (known,) = trace.space.environments.values()
    assert (known.start_ns, known.stop_ns) == (
        told["profile_start_time"],
        told["profile_stop_time"],
    )
    assert known.options.host_tracer_level == 2


@pytest.mark.parametrize("name", ["slow-cb", "fast-xla", "synthetic-gpu"])
@pytest.mark.parametrize("known", [False, True])
def test_stats_of_some_events_are_those_of_all_at_these_rows(sample, name, known):
    """Read alone or, where all have been read already, picked out of them."""
    chooses = np.random.default_rng(7)
    for all_read, plane in zip(
        load(sample(name)).trace.space.planes, load(sample(name)).trace.space.planes, strict=True
    ):
        names = sorted({stat for stat in plane.stat_names.name if stat})
        rows = np.flatnonzero(chooses.random(len(plane.events)) < 0.3)
        columns = (all_read if known else plane).stats_of_rows(rows, *names)
        for stat, some in zip(names, columns, strict=True):
            whole = all_read.stat(stat)
            picked = np.flatnonzero(np.isin(whole.rows, rows))
            assert some.count == whole.count
            assert some.rows.tolist() == whole.rows[picked].tolist()
            assert some.ints().tolist() == whole.ints()[picked].tolist()
            texts, of_all = some.texts(), whole.texts()
            assert [texts[i] for i in range(len(some))] == [of_all[int(i)] for i in picked]
            assert plane.stat_of_rows(stat, rows).rows.tolist() == some.rows.tolist()


def test_step_markers_of_the_callback_are_found_by_their_stat(sample):
    (threads,) = load(sample("slow-cb")).trace.space.host_threads
    column = threads.stat("step_num")
    assert [threads.name_of(row) for row in column.rows.tolist()] == ["Profiled batch"] * 8
    assert column.ints().tolist() == list(range(2, 10))
    assert column.present.sum() == 8
    assert column.over_all(absent=-1).max() == 9


def test_waiting_for_input_takes_over_half_of_each_step_of_the_slow_sample(sample):
    (threads,) = load(sample("slow-cb")).trace.space.host_threads
    starts, ends = threads.events.start_ps, threads.events.end_ps
    waits = threads.named("IteratorGetNextOp::DoCompute")
    periods = np.diff(starts[threads.named("Profiled batch")]) / 1e9
    assert np.median(periods) == pytest.approx(244.8, abs=0.1)
    for marker in threads.named("Profiled batch").tolist():
        begin, end = starts[marker], ends[marker]
        inside = np.minimum(ends[waits], end) - np.maximum(starts[waits], begin)
        assert 0.54 < np.maximum(inside, 0).sum() / (end - begin) < 0.73


def test_stats_are_strings_numbers_and_64_bit_patterns(sample):
    space = parsed(sample("fast-cb"))
    (theirs,) = (p for p in space.planes if p.name == "/host:CPU")
    (threads,) = load(sample("fast-cb")).trace.space.host_threads
    events = [event for line in theirs.lines for event in line.events]
    ids = {key for key, value in theirs.stat_metadata.items() if value.name == "parent_id"}
    named = {key for key, value in theirs.stat_metadata.items() if value.name == "name"}
    patterns, texts = {}, {}
    for row, stat in ((row, stat) for row, event in enumerate(events) for stat in event.stats):
        if stat.metadata_id in ids:
            value = getattr(stat, stat.WhichOneof("value"))
            patterns.setdefault(row, value % (1 << 64))
        if stat.metadata_id in named:
            inside = stat.WhichOneof("value") == "str_value"
            text = stat.str_value if inside else theirs.stat_metadata[stat.ref_value].name
            texts.setdefault(row, text)
    column = threads.stat("parent_id")
    assert column.rows.tolist() == list(patterns)
    assert column.ints().view(np.uint64).tolist() == list(patterns.values())
    assert max(patterns.values()) > 1 << 63
    column = threads.stat("name")
    strings = column.texts()
    assert column.rows.tolist() == list(texts)
    assert [strings[i] for i in range(len(strings))] == list(texts.values())
    assert len(threads.stat("no such stat")) == 0


def test_kernels_count_for_the_op_they_were_launched_by(sample):
    data = load(sample("synthetic-gpu"))
    rows = data.trace.executions
    assert rows.node.counts() == {"model/dense/MatMul": 50, "(copies to the device)": 10}
    assert set(rows.device.table) == {"/host:synth/device:GPU:0/stream:all"}
    assert rows.duration_ps[rows.node.where("model/dense/MatMul")].sum() == 10 * 30 * 10**9
    (gpu,) = data.trace.space.devices
    assert gpu.facts["device_vendor"] == "Nvidia"
    assert gpu.facts["core_count"] == 108
    assert gpu.line_name(0) == "Stream #1(Compute)"
    assert gpu.rows_of_line(1) == slice(50, 60)


def test_lines_that_a_tool_added_to_a_device_are_not_counted_again(sample, put):
    space = parsed(sample("synthetic-gpu"))
    gpu = next(plane for plane in space.planes if plane.name.startswith("/device"))
    copy = gpu.lines.add()
    copy.CopyFrom(gpu.lines[0])
    copy.name = "Framework Ops - from #1"
    assert len(load(put(space)).trace.executions) == 50 + 10


def test_programs_of_xla_are_kept(sample):
    ((name, proto),) = load(sample("fast-xla")).trace.space.programs()
    space = parsed(sample("fast-xla"))
    (plane,) = (p for p in space.planes if p.name == "/host:metadata")
    (theirs,) = plane.event_metadata.values()
    assert name == theirs.name
    assert proto == theirs.stats[0].bytes_value
    assert len(proto) > 100_000
    (ours,) = load(sample("fast-xla")).trace.space.named("/host:metadata")
    assert ours.stats.described(0).name == theirs.name


def test_lines_with_bases_of_their_own_share_one_clock(put):
    space = small(base=364_437)
    line = space.planes[0].lines.add(name="stream", timestamp_ns=9_715_872_534)
    line.events.add(metadata_id=1, offset_ps=7_000, duration_ps=1_000)
    (threads,) = load(put(space)).trace.space.host_threads
    late = (9_715_872_534 - 364_437) * 1000
    assert threads.events.start_ps.tolist() == [2_000_000, 9_000_000, late + 7_000]
    assert threads.line_of(np.array([0, 1, 2])).tolist() == [0, 0, 1]


def test_a_line_from_another_age_is_said_to_be_so(put):
    space = small(base=1_794_767_409_237_369_051)
    line = space.planes[0].lines.add(name="old", timestamp_ns=5)
    line.events.add(metadata_id=1, offset_ps=7_000)
    data = load(put(space))
    (threads,) = data.trace.space.host_threads
    assert threads.events.start_ps.tolist() == [2_000_000, 9_000_000, 7_000]
    assert any("90 days" in warning for warning in data.warnings)
    assert data.trace.space.origin_ns == 1_794_767_409_237_369_051


def test_a_stat_of_the_name_counts_where_the_event_has_none(put):
    space = small()
    plane = space.planes[0]
    plane.stat_metadata[1].name = "flops"
    plane.event_metadata[1].stats.add(metadata_id=1, int64_value=64)
    plane.lines[0].events[1].stats.add(metadata_id=1, double_value=2.5)
    (threads,) = load(put(space)).trace.space.host_threads
    column = threads.stat("flops")
    assert column.rows.tolist() == [0, 1]
    assert column.floats().tolist() == [64.0, 2.5]
    assert column.ints().tolist() == [64, 2]


def test_a_step_that_a_tool_wrote_to_the_events_is_theirs(put):
    space = small()
    plane = space.planes[0]
    plane.stat_metadata[1].name = "group_id"
    plane.lines[0].events[1].stats.add(metadata_id=1, int64_value=4)
    trace = load(put(space)).trace
    assert trace.executions.step.tolist() == [-1, 4]
    assert trace.steps == (4,)


def test_several_hosts_are_one_profile(put, tmp_path):
    began = 1_794_767_409_000_000_000
    put(small("one", start=began), "logs/plugins/profile/2026_01_02_03_04_05/one.xplane.pb")
    put(small("two", start=began + 7), "logs/plugins/profile/2026_01_02_03_04_05/two.xplane.pb")
    folder = tmp_path / "logs"
    deeper = folder / "plugins", folder / "plugins/profile", next(folder.glob("plugins/profile/*"))
    for path in (folder, *deeper):
        trace = load(path).trace
        assert trace.space.hosts == ("one", "two")
        first, second = trace.space.host_threads
        assert (second.events.start_ps - first.events.start_ps).tolist() == [7_000, 7_000]
        rows = trace.executions
        assert rows.device.table == ["/host:one/device:CPU:0", "/host:two/device:CPU:0"]
        assert rows.thread.tolist() == [0, 0, 1, 1]
        assert trace.threads == {0: "thread", 1: "thread"}


def test_of_several_captures_the_newest_is_read(put, tmp_path):
    for number, name in enumerate(["2026_01_02_03_04_05", "2025_12_31_23_59_59"]):
        path = put(small(f"host{number}"), f"plugins/profile/{name}/vm.xplane.pb")
        os.utime(path, (1e9 + number, 1e9 + number))
    (selection,) = choose(Request([tmp_path])).selections
    assert [file.path.parent.name for file in selection.used] == ["2026_01_02_03_04_05"]
    ((file, why),) = selection.passed_over
    assert file.path.parent.name == "2025_12_31_23_59_59"
    assert "2026_01_02_03_04_05 is newer" in why


def test_what_other_tools_leave_beside_a_capture_is_not_read(put, samples, tmp_path):
    capture = put(small(), "plugins/profile/2026_01_02_03_04_05/vm.xplane.pb")
    cache = capture.with_name("ALL_HOSTS.op_stats_v2.pb")
    cache.write_bytes((samples / "keras_mlp_fwd.graph.pb").read_bytes())
    (selection,) = choose(Request([tmp_path])).selections
    assert [file.path for file in selection.used] == [capture]
    assert [(file.path, why) for file, why in selection.passed_over] == [
        (cache, "made from the capture by another tool")
    ]


def test_a_run_beside_a_capture_is_not_mixed_with_it(put, samples):
    run = samples / "keras_mlp_train_b8_default.runmeta.pb"
    data = load(run, put(small()))
    assert len(data.trace.executions) == 189
    assert any("capture" in warning for warning in data.warnings)


def test_what_the_profiler_reports_is_passed_on(put):
    space = small()
    space.errors.append("no CUPTI")
    space.warnings.append("events were dropped")
    data = load(put(space))
    assert data.trace.space.errors == ("no CUPTI",)
    assert [w.partition(": the ")[2] for w in data.warnings] == [
        "profiler reports: no CUPTI",
        "profiler warns: events were dropped",
    ]


def test_a_capture_without_events_or_ops_says_so(put, sample):
    empty = small()
    del empty.planes[0].lines[:]
    data = load(put(empty))
    assert len(data.trace.executions) == 0
    assert "no events" in data.warnings[0]
    assert "host_tracer_level 2" in load(sample("tiny-htl1")).warnings[0]


def test_an_empty_file_says_what_leaves_one(tmp_path):
    path = tmp_path / "vm.xplane.pb"
    path.touch()
    with pytest.raises(EmptyFile) as caught:
        load(path)
    assert "2 GB" in caught.value.hint


def test_of_a_file_that_ends_early_the_whole_part_is_read(sample, tmp_path):
    """Names stand behind the events: a file cut between them has events without a name."""
    whole = sample("slow-cb").read_bytes()
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(whole[:300_000])
    data = load(path)
    assert 0 < data.trace.space.event_count < EVENTS["slow-cb"]
    first, second, *_ = data.warnings
    assert "ends early" in first
    assert "have no name" in second


def test_broken_stats_are_an_error_when_they_are_asked_for(put):
    space = small()
    plane = space.planes[0]
    plane.stat_metadata[1].name = "id"
    plane.lines[0].events[0].stats.add(metadata_id=1, int64_value=77)
    path = put(space)
    data = path.read_bytes().replace(b"\x22\x04\x08\x01\x20\x4d", b"\x22\x04\x08\x01\x27\x4d")
    path.write_bytes(data)
    (threads,) = load(path).trace.space.host_threads
    with pytest.raises(CorruptFile, match="byte"):
        threads.stat("id")


@pytest.mark.parametrize(("first", "second"), NAMED)
def test_two_captures_that_are_named_are_joined(sample, first, second):
    trace = load(sample(first), sample(second)).trace
    assert trace.space.event_count == EVENTS[first] + EVENTS[second]
    # by their names, in whatever order they are given
    alone = [load(sample(name)).trace.executions for name in sorted((first, second))]
    assert len(trace.executions) == sum(map(len, alone))
    assert trace.executions.duration_ps.tolist() == [
        duration for rows in alone for duration in rows.duration_ps.tolist()
    ]
