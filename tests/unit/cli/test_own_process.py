"""A command is alone in its process, and leaves the settings of that as it found them."""

import os
import subprocess
import sys

import pytest

from tfprof.cli.own_process import alone

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
