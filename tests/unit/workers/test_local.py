import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest

from tfprof.model.host_work import Lost
from tfprof.workers import local
from tfprof.workers.local import LocalWorkers

# each pool starts processes, which load Python anew
pytestmark = pytest.mark.timeout(300)
LARGE = 10**9


def _squared(number: int) -> int:
    return number * number


def _where(_: int) -> int:
    time.sleep(0.2)  # long enough for the other process to take the next
    return os.getpid()


def _kills_its_process(marks: Path, number: int) -> int:
    """Only the first to come here, if `marks` is to remember it."""
    mark = marks / str(number)
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def _always_kills(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def _fails(number: int) -> int:
    raise ValueError(f"no {number}")


def test_little_is_done_here_and_now():
    assert LocalWorkers(2).map(_where, [1, 2], [10, 10]) == [os.getpid()] * 2
    assert LocalWorkers(1).map(_where, [1, 2], [LARGE, LARGE]) == [os.getpid()] * 2


def test_much_is_done_by_other_processes_in_order():
    heard = []
    found = LocalWorkers(2).map(_squared, range(9), [LARGE] * 9, lambda *told: heard.append(told))
    assert found == [number * number for number in range(9)]
    assert heard == [(done, done * LARGE) for done in range(1, 10)]
    where = LocalWorkers(2).map(_where, range(4), [LARGE] * 4)
    assert os.getpid() not in where
    assert len(set(where)) == 2


def test_a_process_that_is_killed_loses_nothing(tmp_path):
    call = partial(_kills_its_process, tmp_path)
    assert LocalWorkers(2).map(call, range(8), [LARGE] * 8) == [*range(8)]
    assert (tmp_path / "3").exists()


def test_who_kills_every_process_is_given_up_alone():
    found = LocalWorkers(2).map(_always_kills, range(6), [LARGE] * 6)
    assert [one for one in found if not isinstance(one, Lost)] == [0, 1, 2, 4, 5]
    assert found[3] == Lost(local._KILLED)


def test_a_fault_of_ours_is_raised_and_nobody_is_left_behind():
    with pytest.raises(ValueError, match="no "):
        LocalWorkers(2).map(_fails, range(4), [LARGE] * 4)
