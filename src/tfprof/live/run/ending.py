"""However the script ends, what was recorded is on the disk, and it ends as it would have.

`atexit` calls in the order of last come, first served: we come first. Signals that end a process
are caught only while steps are captured, and then sent again: all else has been written by then.
"""

from __future__ import annotations

import atexit
import functools
import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import Final, NoReturn

from tfprof.live.run.watch import Watch

_NAMES: Final = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGXCPU")
_ENDING: Final = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))


def install(watch: Watch) -> None:
    atexit.register(_at_exit, watch)
    _close_before_exit(watch)
    if watch.wanted.duration is not None:
        Signals(watch).catch()  # the capture is begun by a thread, which may not ask for signals
    else:
        watch.signals = Signals(watch)


def _at_exit(watch: Watch) -> None:
    fault = getattr(sys, "last_type", None)
    if fault is None:
        watch.close("exit")
    elif issubclass(fault, KeyboardInterrupt):
        watch.close(f"signal {int(signal.SIGINT)}")
        _interrupted_again()
    else:
        watch.close("exception", 1)


def _interrupted_again() -> None:
    """Python ends by SIGINT if that is how the last code that it ran from a text ended.

    Modules that are loaded at the end run such code, and Python would exit with 1 instead.
    """
    with suppress(KeyboardInterrupt):
        exec("raise KeyboardInterrupt")  # noqa: S102  (a text of our own)


def _close_before_exit(watch: Watch) -> None:
    """`os._exit` calls nobody, so it is told to."""
    plain = os._exit

    @functools.wraps(plain)
    def _exit(status: int) -> NoReturn:
        watch.close("os._exit", status)
        plain(status)

    os._exit = _exit


class Signals:
    """Those that nobody else cares about."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._caught: list[int] = []

    def catch(self) -> None:
        """From here on, until `release`."""
        if self._caught or threading.current_thread() is not threading.main_thread():
            return
        for number in _ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, self._received)
                self._caught.append(number)

    def release(self) -> None:
        if not self._caught or threading.current_thread() is not threading.main_thread():
            return
        for number in self._caught:
            if signal.getsignal(number) == self._received:
                signal.signal(number, signal.SIG_DFL)
        self._caught = []

    def _received(self, number: int, _frame: FrameType | None) -> None:
        self._watch.close(f"signal {number}")
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
