"""A call in a process of its own: what it says comes here, what kills it does not."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tfprof.errors import UsageError
from tfprof.model.host_work import Lost
from tfprof.workers.apart import Apart


def _who_and_what(item):
    print("a word that is no answer")
    os.write(1, b"nor is this")
    return os.getpid(), item


def test_what_is_said_comes_here_and_what_is_printed_does_not(capfd):
    large = bytes(10**7)
    who, what = Apart(_who_and_what)(large)
    assert who != os.getpid()
    assert what == large
    assert capfd.readouterr().out == ""


def _fails(item):
    raise UsageError(f"no {item}", hint="another")


def test_an_exception_is_raised_here():
    with pytest.raises(UsageError, match="no thing") as raised:
        Apart(_fails)("thing")
    assert raised.value.hint == "another"


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (signal.SIGKILL, "at last by SIGKILL: there may be too little memory"),
        (signal.SIGSEGV, "at last by SIGSEGV"),
    ],
)
def test_who_is_killed_is_told_with_how(number, why):
    lost = Apart(_kills_itself)(number)
    assert isinstance(lost, Lost)
    assert lost.why.endswith(why)


def _kills_itself(number):
    os.kill(os.getpid(), number)


def test_who_ends_without_a_word_is_told():
    assert Apart(os._exit)(3) == Lost(
        "the process that read it ended without an answer, with exit code 3"
    )


class _Deadly:
    def __reduce__(self):
        return os._exit, (4,)


def test_who_ends_before_it_has_heard_all_is_told():
    lost = Apart(len)((_Deadly(), bytes(10**7)))
    assert isinstance(lost, Lost)
    assert lost.why.endswith("exit code 4")


def _waits(file):
    Path(file).write_text(str(os.getpid()))
    time.sleep(60)


@pytest.mark.skipif(not Path("/proc").exists(), reason="who runs is told by Linux")
def test_nobody_goes_on_for_whoever_is_gone(tmp_path):
    file = tmp_path / "inner"
    code = f"from test_apart import Apart, _waits; Apart(_waits)({str(file)!r})"
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    outer = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": paths})
    while not file.exists() or not file.read_text():
        time.sleep(0.05)
    outer.kill()
    outer.wait()
    began = time.monotonic()
    while Path("/proc", file.read_text()).exists():
        assert time.monotonic() - began < 20
        time.sleep(0.05)
