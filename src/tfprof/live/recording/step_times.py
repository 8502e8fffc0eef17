"""How long steps take: from the begin of one to the begin of the next on the same thread.

Beside the clock, what all threads of the process worked meanwhile: who shares cores with whom can
be told from that only.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable
from typing import Final

_MOST: Final = 200
_PLAIN, _CAPTURED, _WARM_UP = "plain", "captured", "warm-up"


class StepTimes:
    """The periods of steps that were not captured; those of a capture go to the capture."""

    def __init__(self, untraced: Iterable[float] = (), cpu: Iterable[float] = ()) -> None:
        self.untraced: deque[float] = deque(untraced, maxlen=_MOST)
        self.untraced_cpu: deque[float] = deque(cpu, maxlen=_MOST)
        # when the last step began, on which thread, what it was, and the work until then
        self._before: tuple[int, int, str, int | None] | None = None

    def next_begins(self, now: int, captured: list[float] | None) -> None:
        """The period of the step before ends here, if nothing else came between."""
        if self._before is None or self._before[1] != threading.get_ident():
            return
        began, _, what, worked = self._before
        period = round((now - began) / 1000, 1)
        if what == _PLAIN:
            self.untraced.append(period)
            if worked is not None:
                self.untraced_cpu.append(round((time.process_time_ns() - worked) / 1000, 1))
        elif what == _CAPTURED and captured is not None:
            captured.append(period)

    def began(self, at: int, *, captured: bool, warming: bool, alone: bool) -> None:
        """Not `alone` while we work beside the program: that is no work of its step."""
        what = _CAPTURED if captured else _WARM_UP if warming else _PLAIN
        worked = time.process_time_ns() if alone else None
        self._before = (at, threading.get_ident(), what, worked)

    def pause(self) -> None:
        """What comes between the last step and the next is no part of a step."""
        self._before = None
