"""The folder of a run: private, whole files only, nothing secret, few captures."""

import json
import os
import stat

import pytest

from tfprof.errors import OutputNotWritable, UsageError
from tfprof.live.recording.opening import checked_folder
from tfprof.live.recording.run_folder import (
    RankFolder,
    kept,
    made,
    masked,
    new_run_folder,
    read_record,
    write_json,
)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["--epochs", "3"], ["--epochs", "3"]),
        (["--token", "abc", "x"], ["--token", "***", "x"]),
        (["--api-key=abc"], ["--api-key=***"]),
        (["token=abc"], ["token=***"]),
        (["--PASSWORD", "-5"], ["--PASSWORD", "***"]),
        (["--db-passwd", "--next", "1"], ["--db-passwd", "--next", "1"]),
        (["--secret"], ["--secret"]),
        (["-k", "v", "--credentials", "file"], ["-k", "v", "--credentials", "***"]),
        (["--secret="], ["--secret="]),
        (["https://example.org/?key=abc"], ["https://example.org/?key=***"]),
        (["a token", "b"], ["a token", "b"]),
    ],
)
def test_what_is_called_like_a_secret_is_masked(given, shown):
    assert masked(given) == shown


def test_folders_are_the_users_alone(tmp_path):
    folder = made(tmp_path / "logs" / "run1" / "rank-0")
    for one in (folder, folder.parent, folder.parent.parent):
        assert stat.S_IMODE(one.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []


def test_runs_of_one_second_have_folders_of_their_own(tmp_path):
    folders = [new_run_folder(tmp_path / "runs", "../train it.py") for _ in range(5)]
    assert len(set(folders)) == 5
    for folder in folders:
        assert folder.parent == tmp_path / "runs"
        assert folder.name.startswith("train-it.py-20")


def test_a_record_is_the_old_one_or_the_new(tmp_path):
    path = tmp_path / "run.json"
    write_json(path, {"schema": "tfprof-run/1", "at": 1})
    with pytest.raises(TypeError):
        write_json(path, {"schema": "tfprof-run/1", "at": object()})
    assert read_record(path)["at"] == 1
    assert [one.name for one in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"schema": "other"}', "\xff"])
def test_a_record_that_is_none_is_nothing(tmp_path, text):
    (tmp_path / "run.json").write_text(text, encoding="latin-1")
    assert read_record(tmp_path / "run.json") == {}


def _capture(folder, name, size=10):
    place = folder / "plugins" / "profile" / name
    place.mkdir(parents=True)
    (place / "host.xplane.pb").write_bytes(b"x" * size)
    return place


def test_what_a_killed_process_left_is_removed(tmp_path):
    (tmp_path / ".tmp-1-capture-1" / "plugins").mkdir(parents=True)
    (tmp_path / ".tmp-1-run.json").write_text("{")
    whole = _capture(tmp_path, "2026_11_17_19_00_00")
    folder = RankFolder.opened(tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == [".lock", "plugins"]
    # the process died before it could tell of the capture
    (found,) = folder.captures_before()
    assert found["folder"] == whole.relative_to(tmp_path).as_posix()
    assert (found["bytes"], found["first_step"], found["complete"]) == (10, None, None)
    folder.release()


def test_captures_are_those_that_are_there(tmp_path):
    _capture(tmp_path, "2026_11_17_19_00_00")
    told = [{"folder": f"plugins/profile/2026_11_17_19_00_0{n}", "first_step": n} for n in (0, 1)]
    write_json(tmp_path / "run.json", {"schema": "tfprof-run/1", "captures": told})
    folder = RankFolder.opened(tmp_path)
    assert folder.captures_before() == told[:1]
    folder.release()


def test_one_recording_at_a_time(tmp_path):
    first = RankFolder.opened(tmp_path)
    with pytest.raises(UsageError, match="is going on"):
        RankFolder.opened(tmp_path)
    first.release()
    RankFolder.opened(tmp_path).release()


def test_captures_of_one_second_both_stay(tmp_path):
    folder = RankFolder.opened(tmp_path)
    for number in (1, 2):
        place = folder.hidden(f"capture-{number}") / "2026_11_17_19_00_00"
        place.mkdir(parents=True)
        (place / "host.xplane.pb").write_bytes(b"x")
        folder.show_capture(place)
    names = sorted(one.name for one in (tmp_path / "plugins/profile").iterdir())
    assert names == ["2026_11_17_19_00_00", "2026_11_17_19_00_00_2"]
    folder.release()


def test_the_newest_and_the_slowest_are_kept():
    captures = [{"step_us": periods} for periods in ([5, 5], [9, 1, 9], [], [6], [4], None)]
    assert kept(captures, 3) == [None, "slowest", None, "newest", "newest", "newest"]
    assert kept(captures[:2], 3) == ["newest", "newest"]
    assert kept([{"step_us": []}] * 3, 1) == [None, None, "newest"]
    assert kept([], 3) == []


@pytest.mark.parametrize("given", ["", "gs://bucket/logs", "a\0b", 5, None])
def test_what_is_no_folder_is_told_at_the_call(given):
    with pytest.raises(UsageError):
        checked_folder(given)


def test_a_file_in_the_way_is_told_at_the_call(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OutputNotWritable, match="not a folder"):
            checked_folder(place)


@pytest.fixture
def not_root():
    """Root may write anywhere; for a while we are somebody else."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    yield
    os.seteuid(before)


@pytest.mark.usefixtures("not_root")
def test_a_folder_that_is_only_read_is_told_at_the_call():
    for place in ("/proc/logs", "/usr/logs/run1", "/root/logs"):
        with pytest.raises(OutputNotWritable, match="can be written"):
            checked_folder(place)


def test_no_environment_is_written(tmp_path, monkeypatch):
    from tfprof.live.recording.plan import Plan
    from tfprof.live.recording.recorder import Recorder
    from tfprof.live.recording.run_folder import About

    monkeypatch.setenv("MY_SECRET_TOKEN", "hunter2-in-the-environment")
    about = About(script="train.py", arguments=["--api-key", "hunter2-in-the-arguments"])
    recorder = Recorder(tmp_path, Plan(enabled=False), about)
    recorder.close("exit", 0)
    text = (tmp_path / "run.json").read_text()
    assert "hunter2" not in text
    assert json.loads(text)["program"]["arguments"] == ["--api-key", "***"]


def test_run_metadata_of_captures_that_made_room_goes(tmp_path):
    folder = RankFolder(tmp_path)
    for step in (5, 15, 25, 35):
        (tmp_path / f"run_meta_{step}").touch()
    (tmp_path / "run_meta_mine").touch()
    slowest = {"first_step": 3, "run_meta": "run_meta_5"}
    folder.remove_run_metadata([slowest, {"first_step": 23, "run_meta": "run_meta_25"}])
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"run_meta_5", "run_meta_25", "run_meta_35", "run_meta_mine"}
    folder.remove_run_metadata([])
    assert {path.name for path in tmp_path.iterdir()} == left
