"""The cores that this process may use, and how many of its threads are at work on them.

Those that the system lets it use; fewer, where it is one of several that share a machine: whoever
starts it says so.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Shared:
    most: int | None = None
    at_work = 0


_lock = threading.Lock()


def cores() -> int:
    known = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    known = known or 1
    return known if _Shared.most is None else min(known, _Shared.most)


def use_at_most(count: int) -> None:
    """From now on, in all threads of this process."""
    _Shared.most = max(1, count)


@contextmanager
def at_work(wanted: int) -> Iterator[int]:
    """So many threads of those that are wanted find a core: the one that asks, and what is free."""
    with _lock:
        given = max(1, min(wanted, cores() - _Shared.at_work))
        _Shared.at_work += given
    try:
        yield given
    finally:
        with _lock:
            _Shared.at_work -= given
