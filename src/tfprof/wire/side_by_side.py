"""Pieces of work on two cores: numpy lets go of Python's lock while it is in a column.

Only for pieces of some hundred microseconds and more: in between, threads wait for the lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from tfprof.wire.cores import at_work

T = TypeVar("T")


def side_by_side(work: Callable[[T], None], pieces: Sequence[T]) -> None:
    """Does all pieces, here and on one more thread if there is a core for it.

    What goes wrong there is raised here.
    """
    with at_work(min(2, len(pieces))) as threads:
        _shared(work, pieces, threads)


def _shared(work: Callable[[T], None], pieces: Sequence[T], threads: int) -> None:
    faults: list[BaseException] = []
    left = iter(pieces)

    def helped() -> None:
        try:
            for piece in left:
                work(piece)
        except BaseException as fault:  # noqa: BLE001 - whatever it is, who waits is told
            faults.append(fault)

    helper = _started(helped) if threads > 1 else None
    try:
        for piece in left:
            work(piece)
    finally:
        if helper is not None:
            # after a fault or Ctrl-C, nothing is left to begin
            for _ in left:
                pass
            helper.join()
    if faults:
        raise faults[0]


def _started(work: Callable[[], None]) -> threading.Thread | None:
    """None where there is no room for a thread."""
    helper = threading.Thread(target=work, daemon=True)
    try:
        helper.start()
    except RuntimeError:
        return None
    return helper
