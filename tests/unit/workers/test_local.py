import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest
from said import Said

from tfprof.model.host_work import Gathered, Lost
from tfprof.wire.cores import cores
from tfprof.workers import local
from tfprof.workers.local import LocalWorkers

# each pool starts processes, which load Python anew
pytestmark = pytest.mark.timeout(300)
LARGE = 10**9


def _squared(number: int) -> Said:
    return Said({number: number * number})


def _where(number: int) -> Said:
    time.sleep(0.2)  # long enough for the other process to take the next
    return Said({number: os.getpid()})


def _kills_its_process(marks: Path, number: int) -> Said:
    """Only the first to come here, if `marks` is to remember it."""
    mark = marks / str(number)
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return Said({number: number})


def _always_kills(number: int) -> Said:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return Said({number: number})


def _fails(number: int) -> Said:
    raise ValueError(f"no {number}")


def _cores(number: int) -> Said:
    return Said({number: cores()})


def test_processes_share_the_cores(monkeypatch):
    monkeypatch.setattr(local, "cores", lambda: 2)
    found = LocalWorkers().gather(_cores, [1, 2, 3], [LARGE] * 3)
    assert found.whole.in_order == [1, 1, 1]


def test_little_is_done_here_and_now():
    for processes, size in ((2, 10), (1, LARGE)):
        found = LocalWorkers(processes).gather(_where, [1, 2], [size, size])
        assert found.whole.in_order == [os.getpid()] * 2
        assert found.lost == {}


def test_nothing_to_do_says_nothing():
    assert LocalWorkers(2).gather(_where, [], []) == Gathered(None, {})


def test_much_is_done_by_other_processes():
    heard = []
    sizes = [LARGE] * 9
    found = LocalWorkers(2).gather(_squared, range(9), sizes, lambda *told: heard.append(told))
    assert found.whole.in_order == [number * number for number in range(9)]
    assert heard == [(done, done * LARGE) for done in range(1, 10)]
    where = LocalWorkers(2).gather(_where, range(4), [LARGE] * 4).whole.in_order
    assert os.getpid() not in where
    assert len(set(where)) == 2


def test_a_process_that_is_killed_loses_nothing(tmp_path):
    call = partial(_kills_its_process, tmp_path)
    found = LocalWorkers(2).gather(call, range(8), [LARGE] * 8)
    assert found.whole.in_order == [*range(8)]
    assert found.lost == {}
    assert (tmp_path / "3").exists()


def test_who_kills_every_process_is_given_up_alone():
    found = LocalWorkers(2).gather(_always_kills, range(6), [LARGE] * 6)
    assert found.whole.in_order == [0, 1, 2, 4, 5]
    assert found.lost == {3: Lost(local._KILLED)}


def test_a_fault_of_ours_is_raised_and_nobody_is_left_behind():
    with pytest.raises(ValueError, match="no "):
        LocalWorkers(2).gather(_fails, range(4), [LARGE] * 4)
