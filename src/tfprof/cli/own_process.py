"""How a process treats the machine that answers one question and ends: nobody else is in it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

# numbers of the C library's `mallopt`
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4
_NEVER = (1 << 31) - 1
_PAD = 1 << 25
_THREADS = "OPENBLAS_NUM_THREADS"


@contextmanager
def alone() -> Iterator[None]:
    """Memory that was given back is used again, and numpy starts no threads: nobody needs them.

    The system clears every page that it hands out, and many a column of a large capture is gone as
    soon as it was made. Where the C library is another one, it goes on as it does.
    """
    _keep_memory()
    before = os.environ.get(_THREADS)
    os.environ.setdefault(_THREADS, "1")
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_THREADS, None)


def _keep_memory() -> None:
    option = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if option is not None:
        for number, value in ((_MMAP_MAX, 0), (_TRIM_THRESHOLD, _NEVER), (_TOP_PAD, _PAD)):
            option(number, value)
