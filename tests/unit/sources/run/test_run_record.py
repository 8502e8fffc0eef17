"""run.json: what is written is known, what is wrong, cut or newer is said or not known."""

import copy
import json
import os
import pickle
import socket
from datetime import UTC, datetime

import pytest
from made_runs import capture, rank_record, whole_record, write

from tfprof.errors import CorruptText, EmptyFile, NotReadYet, WrongKind
from tfprof.model.run_record import RunState, joined_records
from tfprof.sources.find.recognise import recognise
from tfprof.sources.run.run_record import read_record


@pytest.fixture
def read(tmp_path):
    def read(record):
        write(tmp_path / "run.json", record)
        return read_record(tmp_path / "run.json")

    return read


def test_the_record_of_a_rank(read):
    found = read(rank_record(captures=[capture("a", events_dropped=12)]))
    assert found.program.name == "train.py"
    assert found.program.arguments == ("--epochs", "3")
    assert found.started == datetime(2026, 11, 17, 18, 45, 2, 123456, tzinfo=UTC)
    assert found.ranks == 1
    (process,) = found.processes
    assert process.versions["tensorflow"] == "2.21.0"
    assert process.batch == 32
    assert process.ending.state is RunState.ENDED
    assert process.ending.exit_code == 0
    assert process.steps.count == 120
    assert len(process.steps.untraced_us) == 5
    assert process.captures[0].events_dropped == 12
    assert process.captures[0].name == "a"
    assert process.model.layers[0].class_name == "Dense"
    assert process.functions[0].role == "step"


def test_the_record_of_a_run_has_the_names_of_its_ranks_and_no_process(read):
    found = read(whole_record("rank-0", "rank-1"))
    assert found.ranks == 2
    assert found.processes == ()


def test_joined_ranks_are_in_order(read):
    first, second = read(rank_record(1, 2)), read(rank_record(0, 2))
    whole = read(whole_record("rank-0", "rank-1", exit_code=3))
    joined = joined_records([first, whole, second])
    assert joined.ending.exit_code == 3
    assert [one.rank for one in joined.processes] == [0, 1]
    assert joined.processes[1].name == "rank 1 (worker 1)"


def test_a_record_pickles(read):
    found = read(rank_record())
    assert pickle.loads(pickle.dumps(found)) == found


def test_running_without_a_process_is_gone_and_only_this_machine_is_asked(read):
    ended = 1 << 22  # no process has this number
    here = {"state": "running", "host": socket.gethostname()}
    assert read(rank_record(**here, pid=ended)).ending.state is RunState.GONE
    now = {"pid": os.getpid(), "started": datetime.now(UTC).isoformat()}
    assert read(rank_record(**here, **now)).ending.state is RunState.RUNNING
    # the number of a process that began years after the record is that of another one
    later = {**now, "started": "2020-01-01T00:00:00Z"}
    assert read(rank_record(**here, **later)).ending.state is RunState.GONE
    assert read(rank_record(state="running", host="x", pid=ended)).ending.state is RunState.RUNNING
    assert read(rank_record(state="running", host=None)).ending.state is RunState.RUNNING


def test_a_newer_schema_says_so(tmp_path):
    write(tmp_path / "run.json", rank_record(schema="tfprof-run/2"))
    assert recognise(tmp_path / "run.json").name == "run record"
    with pytest.raises(NotReadYet, match=r"a newer tfprof wrote it.*tfprof-run/2.*tfprof-run/1"):
        read_record(tmp_path / "run.json")


@pytest.mark.parametrize("schema", ["tfprof-run/", "tfprof-run/x", "tfprof-run/0", "tfprof-run/-1"])
def test_another_schema_is_refused(read, schema):
    with pytest.raises(WrongKind, match="its schema is"):
        read(rank_record(schema=schema))


def test_run_json_of_another_tool_is_none_of_ours(tmp_path):
    write(tmp_path / "run.json", {"run_id": 3, "schema": "wandb/1"})
    with pytest.raises(WrongKind):
        recognise(tmp_path / "run.json")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"schema": "tfprof-run/1", "rank"', CorruptText),
        ('["schema", "tfprof-run/1"]', WrongKind),
        ('{"schema": "tfprof-run/1", "pid": ' + "9" * 5000 + "}", WrongKind),
        ('{"schema": "tfprof-run/1", "x": ' + "[" * 100_000 + "}", (WrongKind, CorruptText)),
        ("", EmptyFile),
    ],
)
def test_what_is_no_record_is_said(tmp_path, text, fault):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(fault):
        read_record(tmp_path / "run.json")


def test_a_record_of_megabytes_is_not_read(tmp_path):
    (tmp_path / "run.json").write_text('{"schema": "tfprof-run/1"}' + " " * (9 << 20))
    with pytest.raises(WrongKind, match="no record of a run has 9 MB"):
        read_record(tmp_path / "run.json")


_ODD = [None, True, -1, 1e999, -0.5, "x", [], {}, [[]], 10**30, "2026-99-99", {"name": 3}]


def _keys(record, path=()):
    for key, value in record.items() if isinstance(record, dict) else enumerate(record):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from _keys(value, (*path, key))


@pytest.mark.parametrize("odd", _ODD, ids=str)
def test_an_odd_value_is_not_known_and_nothing_else_is_lost(read, odd):
    whole = rank_record(epochs=[{"epoch": 1, "seconds": 2.0, "data_s": 1.0}], previous=[{}])
    for path in [one for one in _keys(whole) if one != ("schema",)]:
        record = copy.deepcopy(whole)
        held = record
        for key in path[:-1]:
            held = held[key]
        held[path[-1]] = odd
        found = read(json.loads(json.dumps(record)))
        if path[0] != "program":
            assert found.program.name == "train.py"
        for process in found.processes:
            if path[0] != "versions":
                assert process.versions["keras"] == "3.15.1"
            assert process.batch is None or process.batch > 0
            if process.steps is not None:
                assert all(0 <= one < 1e15 for one in process.steps.untraced_us)
