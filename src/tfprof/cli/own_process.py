"""How a process treats the machine that answers one question and ends: nobody else is in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tfprof.workers.own_memory import keep_memory

_THREADS = "OPENBLAS_NUM_THREADS"
# what Linux tells about the memory of the machine, in kilobytes
_MEMORY = "/proc/meminfo"
_FREE = ("MemAvailable:", "SwapFree:")
# less is never all that a process may have: it starts, and says what is missing
_LEAST = 1 << 30


@contextmanager
def alone() -> Iterator[None]:
    """Memory that was given back is used again, and numpy starts no threads: nobody needs them."""
    keep_memory()
    before = os.environ.get(_THREADS)
    os.environ.setdefault(_THREADS, "1")
    try:
        with _no_more_than_there_is():
            yield
    finally:
        if before is None:
            os.environ.pop(_THREADS, None)


@contextmanager
def _no_more_than_there_is() -> Iterator[None]:
    """Who asks for more memory than the machine has left is told so, rather than killed later."""
    free = _free_memory()
    if free is None:
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = max(free, _LEAST)
    for limit in (soft, hard):
        most = most if limit == resource.RLIM_INFINITY else min(most, limit)
    with suppress(ValueError, OSError):  # not every place lets itself be limited
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        yield
    finally:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _free_memory() -> int | None:
    """In bytes; None where the system does not say."""
    try:
        with Path(_MEMORY).open(encoding="ascii") as file:
            facts = [line.split() for line in file]
    except OSError:
        return None
    found = [int(line[1]) for line in facts if line[0] in _FREE]
    return sum(found) * 1024 if found else None
