"""A real scheduler and real workers for tests, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

from conftest import TESTS

_WORKER = "from distributed.cli.dask_worker import main; main()"
_SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
_ONE_THREAD = ("--nthreads", "1", "--no-dashboard", "--no-nanny")


@contextmanager
def cluster(folder: Path, workers: int = 2):
    """The address of a scheduler, its process, and those of its workers."""
    file = folder / "scheduler.json"
    words = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file)
    with ExitStack() as started:
        scheduler = started.enter_context(_process("-c", _SCHEDULER, *words))
        address = _address(file)
        words = (*_ONE_THREAD, "--local-directory", folder / "workers")
        ran = [_process("-c", _WORKER, address, *words) for _ in range(workers)]
        yield address, scheduler, [started.enter_context(one) for one in ran]


def _address(file: Path) -> str:
    from distributed import Client

    while not file.exists() or not file.read_text():
        time.sleep(0.1)
    with Client(scheduler_file=str(file), set_as_default=False) as client:
        return client.scheduler.address


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
