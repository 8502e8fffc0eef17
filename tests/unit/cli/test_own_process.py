"""A command is alone in its process, and leaves the settings of that as it found them."""

import os
import subprocess
import sys

import pytest

from tfprof.cli.own_process import alone
from tfprof.wire.schema import message_class

THREADS = "OPENBLAS_NUM_THREADS"


@pytest.mark.parametrize("before", [None, "3"])
def test_what_was_set_is_set_again(monkeypatch, before):
    monkeypatch.delenv(THREADS, raising=False)
    if before is not None:
        monkeypatch.setenv(THREADS, before)
    with alone():
        assert os.environ[THREADS] == (before or "1")
    assert os.environ.get(THREADS) == before


def test_numpy_has_one_thread_and_memory_is_used_again():
    """Of columns that come and go the system hands out the pages once, or nearly."""
    code = (
        "import resource\n"
        "from tfprof.cli.own_process import alone\n"
        "with alone():\n"
        "    import numpy as np\n"
        "faults = []\n"
        "for _ in range(9):\n"
        "    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "    np.ones(1 << 18).sum()\n"
        "    faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)\n"
        "threads = len(__import__('os').listdir('/proc/self/task'))\n"
        "print(threads, sum(faults[1:]))\n"
    )
    if not sys.platform.startswith("linux"):
        pytest.skip("pages are counted as Linux counts them")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    threads, faults = map(int, ran.stdout.split())
    assert threads == 1
    assert faults < 512  # a column has as many pages


def test_who_needs_more_memory_than_there_is_is_told_so(tmp_path):
    """Under a limit that somebody has set, as where the machine has no more."""
    if not sys.platform.startswith("linux"):
        pytest.skip("memory is limited as Linux limits it")
    graph = message_class("GraphDef")()
    graph.node.add(name="x" * 200, op="NoOp")
    path = tmp_path / "large.graph.pb"
    path.write_bytes(graph.SerializeToString() * 1_000_000)
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (250_000_000, resource.RLIM_INFINITY))\n"
        "from tfprof.cli.main import main\n"
        "sys.exit(main(['summary', sys.argv[1]]))\n"
    )
    asked = [sys.executable, "-c", code, str(path)]
    ran = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert ran.returncode == 4, ran.stderr
    assert "no memory" in ran.stderr
