"""Memory in a process that reads captures and ends: what was given back is used again.

The system clears every page that it hands out, and many a column of a large capture is gone as soon
as it was made. Where the C library is another one, it goes on as it does.
"""

from __future__ import annotations

import ctypes
import os

# numbers of the C library's `mallopt`
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _MMAP_MAX = -1, -2, -3, -4
_NEVER = (1 << 31) - 1
_PAD = 1 << 25
# the library takes no larger one
_LARGE = 1 << 25
_SPARE = 1 << 28


def keep_memory() -> None:
    """In a process of our own: all of it, to its end."""
    _set({_MMAP_MAX: 0, _TRIM_THRESHOLD: _NEVER, _TOP_PAD: _PAD})


def reuse_memory() -> None:
    """In the worker of somebody else: some of it. Dask has its workers give back all at once."""
    _set({_MMAP_THRESHOLD: _LARGE, _TRIM_THRESHOLD: _SPARE})


def _set(options: dict[int, int]) -> None:
    option = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if option is not None:
        for number, value in options.items():
            option(number, value)
