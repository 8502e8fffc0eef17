"""A real scheduler and real workers, in processes of their own."""

import gzip
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import dask_cluster
import pytest
from conftest import TESTS
from cut_connection import Passage
from many_hosts import session
from said import Said

from tfprof.errors import ClusterNotReached, UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.host_work import Lost
from tfprof.wire.cores import cores
from tfprof.workers.cluster import connected

pytest.importorskip("distributed")
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with dask_cluster.cluster(tmp_path_factory.mktemp("cluster")) as (address, _, _):
        yield address


def _answer(*words):
    command = [sys.executable, "-m", "tfprof", *map(str, words), "--json"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "words",
    [
        ("steps",),
        ("layers", "--by", "op"),
        ("summary",),
        ("memory",),
        ("timeline",),
        ("input",),
        ("advise", "--all"),
    ],
)
def test_a_cluster_says_the_same_to_the_last_digit(cluster, tmp_path, words):
    folder = session(tmp_path / "job", 8, name="fast-trace-bfc", slow={2}, missing={3}, cut={5})
    assert _answer(*words, folder, "--scheduler", cluster) == _answer(*words, folder)


@pytest.mark.parametrize("command", ["summary", "advise"])
def test_so_it_does_where_a_graph_adds_to_the_question(cluster, tmp_path, command):
    folder = session(tmp_path / "job", 3)
    (tmp_path / "graph.pb").write_bytes(
        gzip.decompress((TESTS / "data" / "two_cpus" / "graph.pb.gz").read_bytes())
    )
    words = (command, folder, tmp_path / "graph.pb")
    assert _answer(*words, "--scheduler", cluster) == _answer(*words)


def test_a_cluster_reads_the_runs_of_a_history(cluster, samples, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("slow_map", "parallel_map", "bfloat16"):
        shutil.copytree(samples / "stories" / name, tmp_path / "runs" / name)
    (tmp_path / "runs" / "cut.tfprof").write_bytes(b"PK\x03\x04")
    words = ("log", "runs", "--no-index")
    assert _answer(*words, "--scheduler", cluster) == _answer(*words)


def _slowly(place):
    """Who comes first says where it works."""
    folder, number = place
    Path(folder, f"{number}-{os.getpid()}").touch()
    time.sleep(0.3)
    return Said({number: number})


def test_a_worker_that_is_killed_is_replaced_and_the_answer_is_whole(tmp_path):
    with dask_cluster.cluster(tmp_path) as (address, _, workers), connected(address) as cluster:
        items = [(str(tmp_path), number) for number in range(12)]
        killed = []

        def heard(done, _):
            if done == 2:  # who has done something, and is at the next
                killed.append(next(pid for _, pid in _done(tmp_path)))
                os.kill(killed[0], signal.SIGKILL)

        found = cluster.gather(_slowly, items, [1] * 12, heard)
        assert found.whole.in_order == [*range(12)]
        assert found.lost == {}
        assert killed[0] in {one.pid for one in workers}
        assert {number for number, _ in _done(tmp_path)} == set(range(12))
        # the other went on
        assert {pid for _, pid in _done(tmp_path)} == {one.pid for one in workers}


def _sends_much(number):
    """A number and a megabyte, of which what is put together keeps nothing."""
    return _Heavy((number,), os.urandom(10**6))


@frozen_dataclass
class _Heavy:
    numbers: tuple
    load: bytes

    def merge(self, other):
        return _Heavy(tuple(sorted((*self.numbers, *other.numbers))), b"")


def test_answers_are_put_together_by_the_workers(cluster):
    """However many there are, what comes here is one."""
    received = []

    def heard(done, _):
        received.append(done)

    passage = Passage(cluster)
    with connected(passage.address) as workers:
        found = workers.gather(_sends_much, range(70), [1] * 70, heard)
    passage.close()
    assert found.whole == _Heavy(tuple(range(70)), b"")
    assert received == [*range(1, 71)]
    assert 1000 < passage.received < 10**6


def test_what_comes_here_is_seen(cluster):
    """One alone is not merged with any: its megabyte comes here."""
    passage = Passage(cluster)
    with connected(passage.address) as workers:
        workers.gather(_sends_much, [0], [1])
    passage.close()
    assert passage.received > 10**6


def _cores_of_its_worker(number):
    return Said({number: cores()})


def test_a_worker_with_one_thread_reads_on_one_core(cluster):
    with connected(cluster) as workers:
        found = workers.gather(_cores_of_its_worker, range(4), [1] * 4)
    assert found.whole.in_order == [1, 1, 1, 1]


def _kills_its_worker(number):
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return Said({number: number})


def test_who_kills_every_worker_is_given_up_alone(tmp_path):
    with dask_cluster.cluster(tmp_path, 6) as (address, _, _), connected(address) as workers:
        found = workers.gather(_kills_its_worker, range(9), [1] * 9)
        assert found.whole.in_order == [0, 1, 2, 3, 4, 6, 7, 8]
        assert [*found.lost] == [5]
        assert found.lost[5].why.startswith("every worker that read it was killed, at last by SIGK")


def _kills_its_worker_slowly(number):
    time.sleep(0.2)
    return _kills_its_worker(number)


def test_who_only_waits_for_a_worker_that_is_killed_is_not_blamed(tmp_path, monkeypatch):
    """Where a scheduler gives up at once all that a worker has when it dies."""
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_SATURATION", "inf")
    with dask_cluster.cluster(tmp_path) as (address, _, _), connected(address) as workers:
        told = []
        answers = workers.each(
            _kills_its_worker_slowly, range(7), [1] * 7, lambda *so_far: told.append(so_far)
        )
        found = dict(answers)
        assert isinstance(found.pop(5), Lost)
        assert found == {number: Said({number: number}) for number in (0, 1, 2, 3, 4, 6)}
        assert told == [(count, count) for count in range(1, 8)]


def _done(folder):
    """The numbers that were begun, and by whom."""
    return [tuple(map(int, path.name.split("-"))) for path in folder.glob("*-*")]


def test_a_connection_that_is_lost_for_a_moment_is_made_again(tmp_path, cluster):
    passage = Passage(cluster)
    cut = []

    def heard(done, _):
        if done == 3 and not cut:
            cut.append(done)
            passage.cut()

    with connected(passage.address) as workers:
        items = [(str(tmp_path), number) for number in range(12)]
        assert workers.gather(_slowly, items, [1] * 12, heard).whole.in_order == [*range(12)]
    passage.close()
    assert cut == [3]


def test_a_scheduler_that_is_gone_is_said_in_time(tmp_path, capfd):
    with dask_cluster.cluster(tmp_path) as (address, scheduler, _):
        began = []

        def heard(done, _):
            if done == 2:
                scheduler.kill()
                began.append(time.monotonic())

        items = [(str(tmp_path), number) for number in range(12)]
        lost = "was lost while it was at work; since then, no scheduler answers"
        with pytest.raises(ClusterNotReached, match=lost), connected(address) as workers:
            workers.gather(_slowly, items, [1] * 12, heard)
        assert time.monotonic() - began[0] < 60
        assert capfd.readouterr().err == ""


@pytest.fixture
def said_by(request):
    """The address of somebody who listens, and says that to whoever comes."""
    ear, came = socket.create_server(("127.0.0.1", 0)), []

    def answer():
        with suppress(OSError):
            while True:
                here, _ = ear.accept()
                came.append(here)
                here.sendall(request.param)
                if request.param:
                    here.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=answer, daemon=True).start()
    yield f"127.0.0.1:{ear.getsockname()[1]}"
    with suppress(OSError):
        ear.shutdown(socket.SHUT_RDWR)
    for one in (ear, *came):
        one.close()


_SAY = {
    "nothing": b"",
    "http": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "much": b"\xff" * 64,
    "a frame": b"\x01" + bytes(39),
}


@pytest.mark.parametrize("said_by", _SAY.values(), ids=_SAY, indirect=True)
def test_who_is_no_scheduler_is_told_in_one_message(tmp_path, said_by):
    _one_message(session(tmp_path / "job", 2), said_by, code=3)


@pytest.mark.parametrize("said_by", [_SAY["http"]], ids=["http"], indirect=True)
@pytest.mark.parametrize("scheme", ["tls", "ws"])
def test_so_it_is_by_other_kinds_of_connections(tmp_path, said_by, scheme):
    _one_message(session(tmp_path / "job", 2), f"{scheme}://{said_by}", code=3)


def _one_message(job, address, code):
    began = time.monotonic()
    command = [sys.executable, "-m", "tfprof", "steps", str(job), f"--scheduler={address}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == code, ran.stderr
    assert ran.stdout == ""
    assert ran.stderr.startswith("tfprof: ")
    assert "Traceback" not in ran.stderr
    assert ran.stderr.count("tfprof: ") == 1
    assert len(ran.stderr) < 1000
    assert "\x1b" not in ran.stderr
    assert "s3cret" not in ran.stderr
    assert time.monotonic() - began < 45


@pytest.mark.parametrize(
    "address",
    [
        "", "host", "zzz://a:1", "tcp://", "tcp://h:", "tcp://h:0x50", "tcp://h:99999", "\x1b[2J:1",
        "tcp://" + "h" * 9000 + ":1x", "tcp://me:s3cret@h:1", "me:s3cret@h:8786", "s3cret@/h:1",
        "tcp://me:s3cret@x@h:1",
    ],
)  # fmt: skip
def test_a_nonsense_address_is_told_in_one_message(tmp_path, address):
    _one_message(session(tmp_path / "job", 2), address, code=2)


@pytest.mark.parametrize("address", ["no-such-host.invalid:8786", "h" * 300 + ":1", "ucx://h:1"])
def test_nobody_of_that_name_is_told_in_one_message(tmp_path, address):
    _one_message(session(tmp_path / "job", 2), address, code=3)


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
