"""A run folder is one run with all its ranks; a folder of runs stands for the newest of them."""

import json
import os
import pickle
import shutil

import pytest
from made_runs import (
    CAPTURE,
    LATER,
    capture,
    made_run,
    put,
    put_capture,
    put_model,
    rank_record,
    whole_record,
    write,
)
from run_cli import run

import tfprof
from tfprof.errors import UsageError

COMMANDS = (
    "summary", "layers", "steps", "input", "memory", "timeline", "placement", "doctor", "scope",
    "op", "graph",
)  # fmt: skip


def _answer(*words):
    ran = run(*words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def _inputs(*words):
    return [one["path"] for one in _answer(*words)["inputs"]]


def _text(*words):
    ran = run(*words)
    assert ran.code == 0, ran.err
    return " ".join(ran.out.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_folder(command, tmp_path):
    folder = made_run(tmp_path / "run", 2)
    for path in (folder, folder / "rank-1", tmp_path):
        ran = run(command, path)
        assert ran.code == 0, ran.err


def test_each_rank_is_a_host_by_its_rank(tmp_path):
    data = tfprof.load(made_run(tmp_path / "run", 11)).data
    assert [host.name for host in data.hosts] == [f"rank {n} (worker {n})" for n in range(11)]
    assert len(data.record.processes) == 11
    spaces = [host.trace.space for host in data.hosts]
    assert [space.hosts for space in spaces] == [(host.name,) for host in data.hosts]
    devices = set(data.trace.executions.device.table)
    assert "/host:rank 10 (worker 10)/device:CPU:0" in devices


def test_hosts_have_the_names_of_their_files_where_these_tell_them_apart(tmp_path):
    folder = made_run(tmp_path / "run", 2)
    (capture,) = (folder / "rank-1").rglob("*.xplane.pb")
    capture.rename(capture.with_name("other.xplane.pb"))
    assert [host.name for host in tfprof.load(folder).data.hosts] == ["vm", "other"]


def test_a_profile_of_several_ranks_pickles(tmp_path):
    data = tfprof.load(made_run(tmp_path / "run", 2)).data
    again = pickle.loads(pickle.dumps(data))
    assert again.record == data.record
    assert [host.name for host in again.hosts] == [host.name for host in data.hosts]
    host = pickle.loads(pickle.dumps(data.hosts[1]))
    assert host.trace.space.hosts == (data.hosts[1].name,)


def test_the_newest_run_of_a_folder_is_taken_and_named(tmp_path):
    runs = tmp_path / "runs"
    early, late = made_run(runs / "a-20261117-190000"), made_run(runs / "z-20261117-180000")
    write(early / "run.json", whole_record(started="2026-11-17T19:00:00Z"))
    write(late / "run.json", whole_record(started="2026-11-17T18:00:00Z"))
    text = _text("steps", runs)
    assert early.name in text
    assert "1 other run in this folder: --run NAME" in text
    assert all(str(early) in one for one in _inputs("steps", runs))
    assert all(str(late) in one for one in _inputs("steps", runs, "--run", late.name))
    # one level up, too
    assert early.name in _text("summary", tmp_path, "--run", early.name)


def test_without_a_start_the_name_tells_which_is_newer(tmp_path):
    for name in ("b-20261117-100000", "a-20261117-110000", "c-20261116-110000"):
        place = made_run(tmp_path / name)
        for record in place.rglob("run.json"):
            write(record, {**json.loads(record.read_text()), "started": None})
    assert "a-20261117-110000" in _text("steps", tmp_path)


def test_a_folder_with_a_model_of_its_own_is_that_model(tmp_path):
    put("keras_mlp_fwd.graph.pb", tmp_path / "graph.pb")
    made_run(tmp_path / "work" / "tfprof-runs" / "run")
    (only,) = _inputs("summary", tmp_path)
    assert only == str(tmp_path / "graph.pb")


def test_an_unknown_run_is_an_error_that_lists_some(tmp_path):
    folder = made_run(tmp_path / "runs" / "train-1")
    for path, name, listed in (
        (tmp_path / "runs", "nope", "train-1"),
        (folder, "nope", CAPTURE),
        (folder, "", CAPTURE),
        (folder, "/etc/passwd", CAPTURE),
        (folder, "../train-1", CAPTURE),
    ):
        with pytest.raises(UsageError, match="is called") as caught:
            tfprof.load(path, run=name)
        assert listed in caught.value.hint


def test_a_rank_alone(tmp_path):
    folder = made_run(tmp_path / "run", 3)
    for words in ((folder, "--run", "rank-2"), (folder / "rank-2",)):
        read = _inputs("steps", *words)
        assert all("rank-2" in one or one == str(folder / "run.json") for one in read)
        assert "no capture" not in _text("steps", *words)


def test_other_functions_are_listed_and_can_be_named(tmp_path):
    folder = made_run(tmp_path / "run")
    put("keras_mlp_fwd.graph.pb", folder / "rank-0" / "functions" / "predict.pb")
    found = {one["path"]: one for one in _answer("doctor", folder)["data"]["found"]}
    one = found[str(folder / "rank-0" / "functions" / "predict.pb")]
    assert not one["used"]
    assert one["why"] == "another function of the run; name it to read it"
    assert "784" in _text("summary", folder / "rank-0" / "functions")


def test_a_capture_that_was_cut_short_is_taken_only_without_another(tmp_path):
    captures = [capture(CAPTURE), capture(LATER, 10, 11, complete=False)]
    folder = made_run(tmp_path / "run", captures=captures)
    put_capture(folder / "rank-0", LATER)
    assert any(CAPTURE in one for one in _inputs("steps", folder))
    assert any(LATER in one for one in _inputs("steps", folder, "--run", LATER))
    shutil.rmtree(folder / "rank-0" / "plugins" / "profile" / CAPTURE)
    answer = _answer("steps", folder)
    assert any("ended before all its steps were taken" in one for one in answer["warnings"])


def test_ranks_are_compared_at_the_same_steps(tmp_path):
    folder = made_run(tmp_path / "run", 2, captures=[capture(CAPTURE), capture(LATER, 10, 14)])
    put_capture(folder / "rank-0", LATER)  # rank 1 died before
    assert not any(LATER in one for one in _inputs("steps", folder))
    shutil.rmtree(folder / "rank-0" / "plugins" / "profile" / CAPTURE)
    said = _answer("steps", folder)["warnings"]
    assert any("different steps: rank 0 from step 10, rank 1 from step 3" in one for one in said)


def test_what_is_hidden_is_never_read(tmp_path):
    folder = made_run(tmp_path / "run")
    hidden = folder / "rank-0" / ".tmp-1" / "plugins" / "profile" / LATER
    put("traced_step/vm.xplane.pb", hidden / "vm.xplane.pb")
    found = [one["path"] for one in _answer("doctor", folder)["data"]["found"]]
    assert not any(".tmp" in one for one in found)


def test_a_rank_without_a_capture_is_said(tmp_path):
    folder = made_run(tmp_path / "run", 2)
    shutil.rmtree(folder / "rank-1" / "plugins")
    assert "no capture of rank 1: the answer is of the others" in _text("steps", folder)


def test_ranks_with_another_graph_are_said(tmp_path):
    folder = made_run(tmp_path / "run", 3)
    put("keras_mlp_fwd.graph.pb", folder / "rank-2" / "graph.pb")
    said = _answer("summary", folder)["warnings"]
    assert any("rank 2 computes another graph than rank 0" in one for one in said)


def test_a_record_that_cannot_be_read_does_not_hide_the_captures(tmp_path):
    folder = made_run(tmp_path / "run", 2)
    (folder / "rank-1" / "run.json").write_text('{"schema": "tfprof-run/1", ')
    write(folder / "run.json", whole_record(schema="tfprof-run/9"))
    answer = _answer("steps", folder)
    assert len(answer["data"]["hosts"]) == 2
    said = " ".join(answer["warnings"])
    assert "not JSON" in said
    assert "a newer tfprof wrote it" in said


def test_a_run_without_a_capture_says_what_it_knows(tmp_path):
    write(tmp_path / "run" / "run.json", whole_record())
    write(tmp_path / "run" / "rank-0" / "run.json", rank_record(captures=[]))
    assert run("summary", tmp_path / "run").code == 0
    assert run("doctor", tmp_path / "run").code == 0
    assert run("steps", tmp_path / "run").code == 3


def test_one_process_alone_needs_no_folder_of_ranks(tmp_path):
    write(tmp_path / "logs" / "run.json", rank_record(rank=3))
    put_model(tmp_path / "logs")
    put_capture(tmp_path / "logs")
    data = tfprof.load(tmp_path / "logs").data
    assert data.record.first.rank == 3
    assert data.hosts[0].trace.space is not None


def test_links_in_a_circle_end(tmp_path):
    folder = made_run(tmp_path / "run")
    (folder / "rank-1").symlink_to(folder)
    (folder / "rank-2").symlink_to(folder / "rank-0")
    (folder / "rank-3").symlink_to(tmp_path / "nowhere")
    assert run("summary", folder).code == 0


@pytest.fixture
def sessions(tmp_path):
    """A capture of one run, and the metadata of a session run of the same program."""
    folder = tmp_path / "run"
    write(folder / "run.json", whole_record())
    write(folder / "rank-0" / "run.json", rank_record())
    put_capture(folder / "rank-0")
    put("two_cpus/graph.pb", folder / "rank-0" / "graph.pb")
    put("two_cpus/run_meta", folder / "rank-0" / "run_meta_40")
    return folder


def test_steps_are_of_the_capture_and_memory_of_the_run_metadata(sessions):
    assert len(_answer("steps", sessions)["data"]["steps"]) == 3
    alone = sessions / "rank-0"
    files = [alone / "graph.pb", alone / "run_meta_40"]
    both = _answer("memory", sessions)
    peaks = {name: one["peak_bytes"] for name, one in both["data"]["devices"].items()}
    assert peaks == {"/cpu:0": 109_736, "/cpu:1": 1_280}
    assert any("traced run of step 40" in one for one in both["warnings"])
    assert "Measured" in _text("memory", sessions)
    peaks = _answer("summary", sessions)["data"]["peak_memory"]
    assert peaks == _answer("summary", *files)["data"]["peak_memory"]


def test_graphs_as_executed_are_those_of_the_run_metadata(sessions):
    assert "traced run" in _text("layers", sessions, "--as", "executed")
    nodes = _answer("placement", sessions, "--nodes")["data"]
    assert nodes["devices"]["/cpu:1"]["nodes"]


def test_another_log_directory_keeps_its_rule(sessions):
    for record in (sessions / "run.json", sessions / "rank-0" / "run.json"):
        record.unlink()
    said = _answer("steps", sessions / "rank-0")["warnings"]
    assert any("the times are those of the run metadata beside it" in one for one in said)


def test_logs_and_checkpoints_written_meanwhile_belong_to_the_run(tmp_path):
    made_run(tmp_path / "logs" / "train-1")
    log = tmp_path / "logs" / "events.out.tfevents.1794767020.vm.16101.0.v2"
    put(log.name, log)
    during = 1794941130  # the run went from 18:45:02 to 18:46:12
    for when, used in ((during, True), (during - 3600, False), (during + 3600, False)):
        os.utime(log, (when, when))
        found = {one["path"]: one for one in _answer("doctor", tmp_path / "logs")["data"]["found"]}
        assert (str(log) in found) is used


def test_a_pipe_in_the_place_of_a_record_is_not_waited_for(tmp_path):
    folder = made_run(tmp_path / "run", 2)
    (folder / "rank-1" / "run.json").unlink()
    os.mkfifo(folder / "rank-1" / "run.json")
    assert len(_answer("steps", folder)["data"]["hosts"]) == 2


def test_hundreds_of_ranks_are_chosen_from_quickly(tmp_path):
    folder = tmp_path / "run"
    write(folder / "run.json", whole_record(*(f"rank-{n}" for n in range(300))))
    for rank in range(300):
        write(folder / f"rank-{rank}" / "run.json", rank_record(rank, 300, captures=[]))
        (folder / f"rank-{rank}" / "notes.txt").write_text("nothing")
    put_capture(folder / "rank-299")
    data = tfprof.load(folder).data
    assert len(data.record.processes) == 300
    assert data.hosts[0].trace.space is not None
