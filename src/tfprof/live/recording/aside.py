"""Work that training does not wait for: on a thread of its own, one piece after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar

_T = TypeVar("_T")
_LONGEST_S: Final = 60.0


class Aside(Generic[_T]):
    """All but `work` itself is for the thread that asks, so nothing here is locked.

    A signal may end the program in the midst of a step, and then waits for the work.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._next: Callable[[], _T] | None = None
        self._done: _T | None = None
        self._fault: Exception | None = None

    @property
    def has_news(self) -> bool:
        """Whether a piece of work is through that nobody has taken yet."""
        return self._thread is not None and not self._thread.is_alive()

    @property
    def at_work(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def ask(self, work: Callable[[], _T]) -> None:
        """Begins now, or after what goes on; of several that wait the last one counts."""
        if self._thread is not None:
            self._next = work
            return
        self._thread = threading.Thread(
            target=self._do, args=(work,), name="tfprof-aside", daemon=True
        )
        self._thread.start()

    def taken(self) -> _T | None:
        """What came of it, and its exception; the next piece begins."""
        done, fault = self._done, self._fault
        self._thread = self._done = self._fault = None
        waiting, self._next = self._next, None
        if waiting is not None:
            self.ask(waiting)
        if fault is not None:
            raise fault
        return done

    def wait(self) -> bool:
        """Until the piece that goes on is through; False where there is none, or no end of it."""
        if self._thread is None:
            return False
        self._thread.join(_LONGEST_S)
        return self.has_news

    def _do(self, work: Callable[[], _T]) -> None:
        try:
            self._done = work()
        except Exception as fault:  # noqa: BLE001  (raised again where it is taken)
            self._fault = fault
