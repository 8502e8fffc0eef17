"""Event files: what is in them, and what is left of one that is damaged or still written."""

import itertools
import json
import os
import pickle
import shutil
import struct
import time

import made_checkpoints as made
import numpy as np
import pytest
import tensorflow as tf
from run_cli import run
from tensorflow.python.client.timeline import Timeline

from tfprof.errors import CorruptFile
from tfprof.sources.find.load import Request, choose, read
from tfprof.sources.run.records import End, read_records

V1 = tf.compat.v1
NAME = "events.out.tfevents.1700000000.host"


@pytest.fixture(scope="session")
def log(tmp_path_factory):
    return made.event_file(tmp_path_factory.mktemp("events") / NAME, runs=3)


def loaded(*paths):
    return read(choose(Request(list(paths))).selections[0])


def ends_of(data):
    """Where the records of a file end, by their lengths alone."""
    ends, at = [], 0
    while at < len(data):
        at += 16 + struct.unpack_from("<Q", data, at)[0]
        ends.append(at)
    return ends


def answer(*words):
    ran = run(*words, "--json")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    return found.get("data", found), found["warnings"]


def test_the_graph_of_a_log_is_read(log):
    data = loaded(log)
    graph = data.graph
    assert "y" in graph.index
    assert graph.ops[graph.index["y"]] == "MatMul"
    assert data.warnings == ()


def test_the_meta_graph_of_a_log_says_what_is_trained(log):
    found, _ = answer(log)
    assert found["params"]["trainable"] == 12


def test_every_tagged_run_of_a_log_is_a_step(log):
    data = loaded(log)
    assert len({int(step) for step in np.unique(data.trace.executions.step)}) == 3
    found, _ = answer(log)
    assert found["top_by"] == "time"
    assert "y" in {row["name"] for row in found["top"]}


def test_a_run_of_the_same_tag_replaces_the_one_before(tmp_path):
    once = made.event_file(tmp_path / "a", runs=1)
    data = once.read_bytes()
    ends = ends_of(data)
    repeated = next(
        data[begin:end]
        for begin, end in zip([0, *ends], ends, strict=False)
        if b"step 0" in data[begin:end]
    )
    (tmp_path / NAME).write_bytes(data + repeated)
    assert len(np.unique(loaded(tmp_path / NAME).trace.executions.step)) == 1


def test_the_newest_graph_of_a_log_counts(tmp_path):
    with tf.Graph().as_default():
        writer = V1.summary.FileWriter(str(tmp_path / "log"))
    for name in ("old", "new"):
        with tf.Graph().as_default() as graph:
            tf.constant(1.0, name=name)
        writer.add_graph(graph)
    writer.close()
    assert list(loaded(tmp_path / "log").graph.names) == ["new"]


def test_a_log_of_scalars_alone_says_that_it_holds_no_graph(tmp_path):
    with tf.Graph().as_default():
        writer = V1.summary.FileWriter(str(tmp_path))
    for step in range(5):
        value = V1.Summary(value=[V1.Summary.Value(tag="loss", simple_value=0.5)])
        writer.add_summary(value, step)
    writer.close()
    (path,) = tmp_path.iterdir()
    found, warnings = answer(path)
    assert found["nodes"] is None
    assert any("no graph and no run metadata" in warning for warning in warnings)


def test_the_graph_that_a_keras_callback_logs_is_read(tmp_path):
    import keras

    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, name="hidden")])
    graph = tf.function(model).get_concrete_function(tf.TensorSpec([None, 4])).graph
    with tf.summary.create_file_writer(str(tmp_path / "train")).as_default():
        tf.summary.graph(graph)  # what keras.callbacks.TensorBoard calls
    found, _ = answer(tmp_path)
    assert found["nodes"] > 0
    assert found["ops"]["MatMul"] == 1


def test_an_estimators_log_directory_uses_graph_checkpoint_and_events(tmp_path):
    """Estimators train in such a session."""
    with tf.Graph().as_default():
        weight = V1.Variable([0.1], name="w", use_resource=False)
        step = V1.train.get_or_create_global_step()
        loss = tf.reduce_sum(tf.square(weight))
        train = V1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
        with V1.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path), save_checkpoint_steps=2, log_step_count_steps=1
        ) as session:
            for _ in range(5):
                session.run(train)
    found, _ = answer("doctor", tmp_path)
    used = {row["format"] for row in found["found"] if row["used"]}
    assert {"checkpoint", "checkpoint data", "checkpoint state", "event file"} <= used
    assert used & {"GraphDef text", "GraphDef"}
    assert sorted(found["restore"]["matched"]) == ["global_step", "w"]
    assert found["restore"]["missing"] == []
    stored, _ = answer("summary", tmp_path)
    assert stored["checkpoint"]["path"] == str(tmp_path / "model.ckpt-5")


# runs


def session(folder, steps, *, tag="step_{}", number=None, stats=True, timeline=None):
    """One session that logs runs of some global steps, as a file of its own."""
    with tf.Graph().as_default() as graph:
        weight = V1.get_variable("w", [64, 64])
        y = tf.matmul(weight, weight, name="y")
        writer = V1.summary.FileWriter(str(folder), graph, filename_suffix=number)
        options = V1.RunOptions(trace_level=V1.RunOptions.FULL_TRACE)
        with V1.Session() as running:
            running.run(V1.global_variables_initializer())
            for step in steps:
                metadata = V1.RunMetadata()
                running.run(y, options=options, run_metadata=metadata)
                logged = metadata if stats else V1.RunMetadata()
                writer.add_run_metadata(logged, tag.format(step), step)
        writer.close()
    if timeline is not None:
        drawn = Timeline(metadata.step_stats).generate_chrome_trace_format()
        (folder / timeline).write_text(drawn)


def doctors_uses(folder):
    found, _ = answer("doctor", folder)
    return {row["path"].rpartition("/")[2]: (row["used"], row["why"]) for row in found["found"]}


@pytest.mark.parametrize("with_graph", [False, True])
def test_a_timeline_beside_a_log_does_not_hide_its_runs(tmp_path, with_graph):
    """As ProfilerHook leaves them: the timeline is drawn from one of the runs."""
    session(tmp_path, [0, 100, 500], timeline="timeline-500.json")
    if with_graph:
        (tmp_path / "graph.pbtxt").write_text('node { name: "y" op: "NoOp" }')
    found, _ = answer(tmp_path)
    assert found["time"]["steps"] == 3
    assert found["requested_bytes"] > 0
    uses = doctors_uses(tmp_path)
    (log,) = (name for name in uses if name.startswith("events"))
    assert uses[log] == (True, None)
    assert uses["timeline-500.json"] == (False, f"the run is in {log}")


def test_a_timeline_beside_runs_without_stats_tells_more(tmp_path):
    session(tmp_path, [0, 1], stats=False, timeline="timeline-1.json")
    assert doctors_uses(tmp_path)["timeline-1.json"] == (True, None)
    found, _ = answer(tmp_path)
    assert found["time"]["op_us"] > 0


def test_what_of_a_log_is_not_used_says_why(tmp_path, unet):
    session(tmp_path, [], number=".1")
    time.sleep(1.1)
    session(tmp_path, [], number=".2")
    shutil.copy(unet / "graph.pb", tmp_path)
    uses = doctors_uses(tmp_path)
    old, new = sorted(name for name in uses if name.startswith("events"))
    # there is a meta graph in it, which declares variables
    assert uses[new] == (True, None)
    assert uses[old] == (False, "the graph is in graph.pb")


def test_runs_keep_their_global_steps_and_tags(tmp_path):
    session(tmp_path, [0, 100, 500])
    found, _ = answer("steps", tmp_path)
    assert [(row["step"], row["tag"]) for row in found["steps"]] == [
        (0, "step_0"), (100, "step_100"), (500, "step_500"),
    ]  # fmt: skip
    assert run("steps", tmp_path, "--step", 500).code == 0
    assert "numbered 0 to 500, tagged step_0 to step_500" in run("steps", tmp_path).out


def test_runs_without_a_global_step_are_counted_through(tmp_path):
    told = loaded(made.event_file(tmp_path / NAME, runs=3))
    folder = tmp_path / "untold"
    with tf.Graph().as_default():
        writer = V1.summary.FileWriter(str(folder))
    for record in tf.data.TFRecordDataset(str(tmp_path / NAME)):
        event = V1.Event.FromString(record.numpy())
        if event.HasField("tagged_run_metadata"):
            event.ClearField("step")
            writer.add_event(event)
    writer.close()
    assert told.trace.steps == loaded(folder).trace.steps == (0, 1, 2)
    assert loaded(folder).trace.tags == {0: "step 0", 1: "step 1", 2: "step 2"}


def test_two_logs_are_two_sessions(tmp_path):
    """As a Supervisor that was started again: what lies between its runs is no step."""
    session(tmp_path, [0, 100], number=".1")
    time.sleep(1.1)  # the name of a log is the second it was begun in
    session(tmp_path, [200, 300], number=".2")
    found, _ = answer("steps", tmp_path)
    assert [row["step"] for row in found["steps"]] == [0, 100, 200, 300]
    assert found["period"]["max_us"] < 1e6
    summary, _ = answer(tmp_path)
    assert summary["time"]["steps"] == 4
    assert summary["time"]["step_us"] < 1e6


def test_of_a_step_that_was_run_again_the_later_run_counts(tmp_path):
    session(tmp_path, [0, 100, 200], tag="first_{}", number=".1")
    time.sleep(1.1)
    session(tmp_path, [100, 200, 300], tag="again_{}", number=".2")
    data = loaded(tmp_path)
    assert data.trace.steps == (0, 100, 200, 300)
    assert list(data.trace.tags.values()) == ["first_0", "again_100", "again_200", "again_300"]
    assert any("2 of its 3 runs" in warning for warning in data.warnings)
    alone = [loaded(path) for path in sorted(tmp_path.iterdir())]
    for step, own in ((0, alone[0]), (200, alone[1])):
        assert rows_of(data.trace, step) == rows_of(own.trace, step)
    again = pickle.loads(pickle.dumps(data.hosts))
    assert rows_of(again.trace, 100) == rows_of(data.trace, 100)
    assert again.trace.steps == data.trace.steps


def test_a_log_whose_runs_were_all_run_again_is_not_used(tmp_path):
    session(tmp_path, [0, 1], number=".1")
    time.sleep(1.1)
    session(tmp_path, [0, 1], number=".2")
    uses = doctors_uses(tmp_path)
    old, new = sorted(uses)
    assert uses[new] == (True, None)
    assert uses[old] == (False, f"the run is in {new}")


def rows_of(trace, step):
    """What a run did, its records and allocations included."""
    rows = np.flatnonzero(trace.executions.step == step).tolist()
    notes = trace.allocations()
    taken = [
        [(int(notes.micros[at]), int(notes.bytes[at]), notes.allocator[at])
         for at in np.flatnonzero(notes.execution == row).tolist()]
        for row in rows
    ]  # fmt: skip
    return [
        (trace.executions.node[row], trace.executions.device[row], trace.record(row), memory)
        for row, memory in zip(rows, taken, strict=True)
    ]


@pytest.mark.parametrize("command", ["steps", "input", "timeline"])
def test_a_log_where_a_profile_was_expected_says_that_none_was_written(tmp_path, command):
    """As Keras' callback leaves it: with steps_per_execution it may never reach profile_batch."""
    with tf.summary.create_file_writer(str(tmp_path / "train")).as_default():
        tf.summary.write("loss", tf.constant(0.5), step=0)
    ran = run(command, tmp_path)
    assert ran.code == 3
    assert "no profile was written" in ran.err
    assert "profile_batch" in ran.err
    assert "steps_per_execution" in ran.err
    found, _ = answer("doctor", tmp_path)
    assert any("profile_batch" in one["adds"] for one in found["missing"])


def test_a_log_of_tensorflow_1_without_a_run_says_how_one_is_logged(tmp_path):
    session(tmp_path, [])
    ran = run("steps", tmp_path)
    assert ran.code == 3
    assert "add_run_metadata" in ran.err
    assert "profile_batch" not in ran.err


# records


def test_every_record_comes_with_its_offset(tmp_path):
    path = tmp_path / "records"
    texts = [b"", b"a", b"x" * 4095, b"y" * 4096, b"z" * 5_000, b"b"]
    path.write_bytes(b"".join(map(made.record, texts)))
    *records, end = read_records(path)
    assert [text for _, text in records] == texts
    starts = [0, *ends_of(path.read_bytes())]
    assert [offset for offset, _ in records] == starts[:-1]
    assert end == End(starts[-1])


def test_records_are_those_tensorflow_reads(log):
    theirs = [bytes(record.numpy()) for record in tf.data.TFRecordDataset(str(log))]
    *ours, end = read_records(log)
    assert [record for _, record in ours] == theirs
    assert end.why == ""


def test_records_larger_than_what_is_read_at_once_are_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("tfprof.sources.run.records._WINDOW", 1000)
    path = tmp_path / "records"
    rows = np.random.default_rng(5)
    texts = [rows.bytes(size) for size in (10, 990, 984, 985, 5000, 0, 3, 20_000, 1)]
    path.write_bytes(b"".join(map(made.record, texts)))
    *records, end = read_records(path)
    assert [text for _, text in records] == texts
    assert end.why == ""


def test_a_flipped_byte_anywhere_ends_reading_before_its_record(tmp_path):
    texts = [b"first", b"second" * 900, b"third"]
    data = b"".join(map(made.record, texts))
    ends = ends_of(data)
    path = tmp_path / "records"
    positions = [*range(60), *range(ends[1] - 8, len(data)), *range(60, ends[1], 501)]
    for position in positions:
        changed = bytearray(data)
        changed[position] ^= 1 << position % 8
        path.write_bytes(bytes(changed))
        bad = sum(end <= position for end in ends)
        *records, end = read_records(path)
        assert [text for _, text in records] == texts[:bad], position
        assert end.why
        assert end.offset == [0, *ends][bad]


def test_a_file_still_being_written_ends_at_its_last_whole_record(log, tmp_path):
    data = log.read_bytes()
    ends = ends_of(data)
    path = tmp_path / NAME
    for whole, (begin, end) in enumerate(itertools.pairwise(ends), 1):
        for cut in {begin, begin + 1, begin + 11, begin + 12, (begin + end) // 2, end - 1}:
            path.write_bytes(data[:cut])
            *records, last = read_records(path)
            assert len(records) == whole
            assert last.offset == begin
            assert bool(last.why) == (cut != begin)
            warnings = loaded(path).warnings
            assert any("not whole" in w and f"{begin:,}" in w for w in warnings) == (cut != begin)


def test_a_log_with_a_flipped_byte_is_read_up_to_it(log, tmp_path):
    data = bytearray(log.read_bytes())
    last = ends_of(data)[-2]
    data[last + 14] ^= 1
    path = tmp_path / NAME
    path.write_bytes(bytes(data))
    ran = run(path, "--json")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert any("checksum" in w and f"{last:,}" in w for w in found["warnings"])
    assert found.get("data", found)["nodes"] > 0


def test_a_log_whose_first_record_is_damaged_is_an_error(log, tmp_path):
    data = bytearray(log.read_bytes())
    data[-1 - (len(data) - ends_of(data)[0])] ^= 1
    path = tmp_path / NAME
    path.write_bytes(bytes(data))
    with pytest.raises(CorruptFile, match="checksum is wrong"):
        loaded(path)
    assert run(path).code == 4


def test_zeros_behind_the_last_record_are_no_records(log, tmp_path):
    """What a file system may show of a file that is being written."""
    path = tmp_path / NAME
    path.write_bytes(log.read_bytes() + bytes(100))
    data = loaded(path)
    assert data.graph is not None
    assert any("checksum" in warning or "not whole" in warning for warning in data.warnings)


def test_a_length_beyond_the_file_takes_no_memory(log, tmp_path):
    size = struct.pack("<Q", 1 << 60)
    path = tmp_path / NAME
    path.write_bytes(log.read_bytes() + size + made.reference_masked(size) + b"abc")
    assert any("not whole" in warning for warning in loaded(path).warnings)


def test_of_two_logs_the_newest_graph_is_taken_and_all_is_said(log, tmp_path):
    for number in (1, 2):
        shutil.copyfile(log, tmp_path / f"events.out.tfevents.170000000{number}.host")
    os.utime(tmp_path / "events.out.tfevents.1700000001.host", (1e9, 1e9))
    ran = run(tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "nodes" in ran.out


def test_scalars_are_read_in_both_forms(tmp_path):
    with tf.summary.create_file_writer(str(tmp_path / "two")).as_default():
        for step in range(5):
            tf.summary.write("loss", tf.constant(1.0 / (step + 1)), step=step)
            tf.summary.write("count", tf.constant(step, tf.int64), step=step)
            tf.summary.write("weights", tf.constant([1.0, 2.0]), step=step)
            tf.summary.write("said", tf.constant("words"), step=step)
    with tf.Graph().as_default():
        writer = V1.summary.FileWriter(str(tmp_path / "one"))
    for step in range(5):
        said = {"loss": 2.0 * step, "global_step/sec": 7.0}
        values = [V1.Summary.Value(tag=tag, simple_value=one) for tag, one in said.items()]
        writer.add_summary(V1.Summary(value=values), step)
    writer.close()
    (two,) = loaded(tmp_path / "two").logs
    assert sorted(two.series) == ["count", "loss"]
    assert two.series["loss"].value.tolist() == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])
    assert two.series["count"].value.tolist() == [0, 1, 2, 3, 4]
    assert two.series["loss"].step.tolist() == [0, 1, 2, 3, 4]
    assert abs(two.series["loss"].wall_s - time.time()).max() < 600
    (one,) = loaded(tmp_path / "one").logs
    assert one.series["loss"].value.tolist() == [0, 2, 4, 6, 8]
    assert one.series["global_step/sec"].value.tolist() == [7] * 5


def test_what_a_supervised_session_logs_tells_rate_and_saving(tmp_path):
    with tf.Graph().as_default():
        step = V1.train.get_or_create_global_step()
        big = V1.get_variable("big", [1000, 1000], trainable=False)
        weight = V1.get_variable("weight", [64, 64])
        loss = tf.reduce_sum(tf.square(weight)) + 0 * tf.reduce_sum(big)
        V1.summary.scalar("loss", loss)
        train = V1.train.GradientDescentOptimizer(1e-3).minimize(loss, global_step=step)
        with V1.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path), save_checkpoint_steps=50, save_summaries_steps=5,
            log_step_count_steps=20,
        ) as session:  # fmt: skip
            for _ in range(200):
                session.run(train)
    found = answer(tmp_path)[0]["logged"]
    assert found["found_by"] == "global_step/sec"
    assert found["per_second"] > 1
    assert found["last_step"] >= 190
    assert found["saving"]["each_us"] > 0
    assert found["saving"]["each_us_kind"] == "estimated"
    assert found["saving"]["checkpoints"] >= 2
    assert found["loss"]["last"] < found["loss"]["first"]
