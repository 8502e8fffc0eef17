"""A process that reads a host of a real command is killed: the answer is the same, to the byte."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import dask_cluster
import pytest
from many_hosts import capture

from tfprof.wire.cores import cores

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="who reads is told by Linux"),
]
BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
# files from 32 MB on are mapped while they are read, which is seen from outside
ROUNDS, MAPPED = 67, 1 << 25
HOSTS, SLOW = 4, 2


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """Hosts that take a while to read, together enough for a process a core."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        from _xplane import grow
    finally:
        sys.path.remove(str(BENCHMARKS))
    folder = tmp_path_factory.mktemp("hosts") / "job"
    folder.mkdir()
    usual = grow(capture("slow-cb", 0), ROUNDS)
    for at in range(HOSTS):
        data = grow(capture("slow-cb", at, stretched=1.5), ROUNDS) if at == SLOW else usual
        (folder / f"worker-{at}.xplane.pb").write_bytes(data)
    assert len(usual) > MAPPED
    return folder


@pytest.fixture(scope="module")
def undisturbed(job):
    return _command(job).communicate()[0]


def _command(job, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "tfprof", "steps", str(job), "--json", *words],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip


def _children(pid):
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def _is_reading(pid, job):
    try:
        return str(job) in Path(f"/proc/{pid}/maps").read_text()
    except OSError:  # it has just ended
        return False


def _kill_a_reader(job, ran, candidates):
    """Once it truly holds a file of the job."""
    while ran.poll() is None:
        for pid in candidates():
            if _is_reading(pid, job):
                os.kill(pid, signal.SIGKILL)
                return pid
        time.sleep(0.005)
    raise AssertionError("nobody was seen reading before the command ended")


@pytest.mark.skipif(cores() < 2, reason="one core reads by itself")
@pytest.mark.parametrize("kills", [1, 2])
def test_a_process_of_the_pool(job, undisturbed, kills):
    ran = _command(job)
    killed = []
    for _ in range(kills):
        killed.append(_kill_a_reader(job, ran, lambda: set(_children(ran.pid)).difference(killed)))
    assert ran.communicate()[0] == undisturbed
    assert ran.returncode == 0


def test_a_worker_of_a_cluster(job, undisturbed, tmp_path):
    pytest.importorskip("distributed")
    with dask_cluster.cluster(tmp_path) as (address, _, workers):
        ran = _command(job, "--scheduler", address)
        killed = _kill_a_reader(job, ran, lambda: [one.pid for one in workers])
        assert ran.communicate()[0] == undisturbed
        assert ran.returncode == 0
        assert [one.pid for one in workers if one.poll() is not None] == [killed]
