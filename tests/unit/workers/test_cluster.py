"""A real scheduler and real workers, in processes of their own."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import TESTS
from many_hosts import session

from tfprof.errors import ClusterNotReached, UsageError
from tfprof.workers.cluster import connected

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.timeout(300)
_WORKER = "from distributed.cli.dask_worker import main; main()"
_SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"


@contextmanager
def _process(*words):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)])}
    ran = subprocess.Popen(
        [sys.executable, *map(str, words)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env,
    )  # fmt: skip
    try:
        yield ran
    finally:
        ran.kill()
        ran.wait()


@contextmanager
def _cluster(folder, workers=2):
    """The address of a scheduler, and its workers."""
    file = folder / "scheduler.json"
    words = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file)
    with _process("-c", _SCHEDULER, *words):
        while not file.exists() or not file.read_text():
            time.sleep(0.1)
        address = distributed.Client(scheduler_file=str(file), set_as_default=False)
        place = address.scheduler.address
        address.close()
        started = [_process("-c", _WORKER, place, *_ONE_THREAD) for _ in range(workers)]
        ran = [one.__enter__() for one in started]
        try:
            yield place, ran
        finally:
            for one in started:
                one.__exit__(None, None, None)


_ONE_THREAD = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--local-directory", "/tmp")  # noqa: S108


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with _cluster(tmp_path_factory.mktemp("cluster")) as (address, _):
        yield address


def _answer(*words):
    command = [sys.executable, "-m", "tfprof", *map(str, words), "--json"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "words", [("steps",), ("layers", "--by", "op"), ("summary",), ("memory",), ("timeline",)]
)
def test_a_cluster_says_the_same_to_the_last_digit(cluster, tmp_path, words):
    folder = session(tmp_path / "job", 8, name="fast-trace-bfc", slow={2}, missing={3}, cut={5})
    assert _answer(*words, folder, "--scheduler", cluster) == _answer(*words, folder)


def _slowly(place):
    """Who comes first says where it works."""
    folder, number = place
    Path(folder, f"{number}-{os.getpid()}").touch()
    time.sleep(0.3)
    return number


def test_a_worker_that_is_killed_is_replaced_and_the_answer_is_whole(tmp_path):
    with _cluster(tmp_path) as (address, workers), connected(address) as cluster:
        items = [(str(tmp_path), number) for number in range(12)]
        killed = []

        def heard(done, _):
            if done == 2:  # who has done something, and is at the next
                killed.append(next(pid for _, pid in _done(tmp_path)))
                os.kill(killed[0], signal.SIGKILL)

        assert cluster.map(_slowly, items, [1] * 12, heard) == [*range(12)]
        assert killed[0] in {one.pid for one in workers}
        assert {number for number, _ in _done(tmp_path)} == set(range(12))
        # the other went on
        assert {pid for _, pid in _done(tmp_path)} == {one.pid for one in workers}


def _done(folder):
    """The numbers that were begun, and by whom."""
    return [tuple(map(int, path.name.split("-"))) for path in folder.glob("*-*")]


def test_nobody_there_is_said_in_time():
    began = time.monotonic()
    with pytest.raises(ClusterNotReached, match="no scheduler answers"), connected("127.0.0.1:1"):
        pass
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    "address", ["", " ", "host", "zzz://a:1", "a b:1", "tcp://h:99999", "é\n:1"]
)
def test_what_is_no_address_is_a_fault_of_the_call(address):
    with pytest.raises(UsageError, match="no address"), connected(address):
        pass
