"""A run that ends badly: what the script does is right, what was captured before can be read."""

import json
import os
import re
import resource
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from referees import needs
from run_cli import run
from script_runs import (
    Recorded,
    child_of,
    kill,
    masked,
    plainly,
    read_until,
    recorded,
    run_folder,
    started,
)  # fmt: skip

needs("tensorflow")

STEPS = 60
TRACEBACK = re.compile(r"^Traceback .*", re.DOTALL | re.MULTILINE)
# all that is said after the script; before it there is one line
OURS = re.compile(r"^tfprof: (?!a capture has at most).*", re.DOTALL | re.MULTILINE)
# as root nothing is read-only, but what a mount says
MAY_MOUNT = os.geteuid() == 0

# `test_run_endings` has the quick ones
pytestmark = pytest.mark.long


@contextmanager
def _mounted(folder: Path, options: str):
    """A file system of its own, if that is allowed here; says whether it is."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    mounted = (
        MAY_MOUNT and subprocess.run(command, capture_output=True, check=False).returncode == 0
    )
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def _steps_of(folder: Path) -> dict:
    said = run("steps", folder, "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)


def _half_written(folder: Path) -> list[Path]:
    """Captures under their names, whose files are not whole."""
    visible = folder.glob("rank-*/plugins/profile/*/*")
    return [
        path for path in visible if not path.name.endswith(".xplane.pb") or not path.stat().st_size
    ]


def _result(tmp_path: Path) -> str:
    return (tmp_path / "result").read_text()


@pytest.fixture(scope="module")
def right_result(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("plain")
    plain = plainly(["long_run.py", folder / "result", str(STEPS)])
    assert plain.code == 0, plain.err
    return _result(folder)


def test_killed_while_it_captures(tmp_path: Path):
    process = started(["long_run.py", tmp_path / "result"], tmp_path / "runs", "--every", "20")
    try:
        read_until(process, "step 42")
        os.kill(child_of(process), signal.SIGKILL)
        _, err = process.communicate(timeout=60)
    except BaseException:
        kill(process)
        raise
    assert process.returncode == -signal.SIGKILL
    folder = run_folder(tmp_path / "runs", err)
    assert _half_written(folder) == []
    assert "SIGKILL" in err
    assert len(_steps_of(folder)["data"]["steps"]) >= 3
    assert "ended by signal 9" in run("summary", folder).out


@pytest.mark.long
def test_killed_in_the_first_capture(tmp_path: Path):
    process = started(["long_run.py", tmp_path / "result"], tmp_path / "runs", "--steps", "5..50")
    try:
        read_until(process, "step 25")
        os.kill(child_of(process), signal.SIGKILL)
        _, err = process.communicate(timeout=60)
    except BaseException:
        kill(process)
        raise
    folder = run_folder(tmp_path / "runs", err)
    assert _half_written(folder) == []
    assert "SIGKILL" in err
    assert run("doctor", folder).code == 0


def test_full_disk(tmp_path: Path, right_result: str):
    runs = tmp_path / "runs"
    with _mounted(runs, "size=48k") as small:
        # no room on the disk, or none in a file; Python ignores the signal, so writing fails
        limit = None if small else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000,) * 2)
        process = started(
            ["long_run.py", tmp_path / "result"], runs, "--every", "20", preexec_fn=limit
        )
        out, err = process.communicate(timeout=100)
        assert process.returncode == 0, err
        assert out.endswith("finished\n")
        assert _result(tmp_path) == right_result
        assert "disk" in err or "space" in err or "large" in err, err
        assert _half_written(run_folder(runs, err)) == []


def test_read_only_folder(tmp_path: Path, right_result: str):
    runs = tmp_path / "runs"
    with _mounted(runs, "ro") as mounted:
        if not mounted:
            runs.chmod(0o500)
        # whom no mode stops, and who may not mount, is still refused by /proc
        there = Path("/proc/runs") if not mounted and os.access(runs, os.W_OK) else runs
        process = started(["long_run.py", tmp_path / "result"], there)
        out, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    assert out.endswith("finished\n")
    assert _result(tmp_path) == right_result
    assert "nothing is recorded" in err
    assert str(there) in err


def test_interrupted_as_by_a_terminal(tmp_path: Path):
    """Ctrl-C goes to all of them at once."""
    process = started(["long_run.py", tmp_path / "result"], tmp_path / "runs")
    try:
        read_until(process, "step 20")
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    except BaseException:
        kill(process)
        raise
    assert process.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in err
    assert "/tfprof/" not in TRACEBACK.search(err)[0].partition("\ntfprof: ")[0]
    assert not (tmp_path / "result").exists()
    folder = run_folder(tmp_path / "runs", err)
    assert len(_steps_of(folder)["data"]["steps"]) >= 3


ENDINGS = ["return", "exception", "in step", "exit", "message", "_exit", "handled", "sigterm",
           "interrupt", "abort"]  # fmt: skip
QUICK = {"in step", "_exit"}


@pytest.mark.parametrize(
    "how",
    [pytest.param(one, marks=() if one in QUICK else (pytest.mark.long,)) for one in ENDINGS],
)
def test_it_ends_as_without_us(how: str, tmp_path: Path):
    plain, ran = plainly(["endings.py", how]), recorded(["endings.py", how], tmp_path)
    assert ran.code == plain.code
    assert ran.out == plain.out
    assert _traceback(ran.err) == _traceback(plain.err)
    if how != "abort":
        _kept(ran)


def _traceback(err: str) -> str:
    """Its own last words, where a step or a process has an address or a number of its own."""
    found = TRACEBACK.search(OURS.sub("", err))
    return (
        re.sub(
            r"0x[0-9a-f]+|__inference_\w+|__autograph_generated_file\w+", "SOME", masked(found[0])
        )
        if found
        else ""
    )


def _kept(ran: Recorded) -> None:
    assert len(_steps_of(ran.folder)["data"]["steps"]) == 5
    if ran.code < 0:
        assert (ran.run["exit_code"], ran.run["ended_by"]) == (None, f"signal {-ran.code}")
    else:
        assert ran.run["exit_code"] == ran.code
        assert ran.rank()["steps"]["count"] >= 9
        assert ran.rank()["state"] in ("ended", "failed")


def test_a_script_that_never_trains_says_so(tmp_path: Path):
    ran = recorded(["inference_only.py"], tmp_path)
    assert ran.code == 0
    assert ran.out == "(64, 4)\n"
    assert "train" in ran.err
    assert "--what predict" in ran.err or "--duration" in ran.err
