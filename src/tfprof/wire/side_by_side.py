"""Pieces of work on two cores: numpy lets go of Python's lock while it is in a column.

Only for pieces of some hundred microseconds and more: in between, threads wait for the lock.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def side_by_side(work: Callable[[T], None], pieces: Sequence[T]) -> None:
    """Does all pieces, here and on one more thread; what goes wrong there is raised here."""
    faults: list[BaseException] = []
    left = iter(pieces)

    def helped() -> None:
        try:
            for piece in left:
                work(piece)
        except BaseException as fault:  # noqa: BLE001 - whatever it is, who waits is told
            faults.append(fault)

    helper = _started(helped) if len(pieces) > 1 else None
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
    """None where there is one core, or no room for a thread."""
    if (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()) == 1:
        return None
    helper = threading.Thread(target=work, daemon=True)
    try:
        helper.start()
    except RuntimeError:
        return None
    return helper
