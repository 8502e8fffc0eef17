"""Work in a forked process with limits: what it dies of is a finding, not the end."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fuzz.asking import TooSlow

# above what the process has when it starts
_MEMORY = 2_000_000_000
SECONDS = 20.0
# beyond that a process is not working but waiting, or inside C where no signal is heard
_STUCK_SECONDS = 180

_FORK = multiprocessing.get_context("fork")


def limit_memory() -> None:
    with open("/proc/self/statm", encoding="ascii") as about:  # noqa: PTH123
        now = int(about.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (now + _MEMORY, now + _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def start_clock(seconds: float) -> None:
    """The time of the processor: others may be using the machine."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _too_slow(*_: object) -> None:
    raise TooSlow


def _enter(work: Callable[..., None], *given: Any) -> None:
    """A warning is a fault: users would see it among the answer."""
    limit_memory()
    signal.signal(signal.SIGPROF, _too_slow)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", ResourceWarning)  # which Python does not show
    work(*given)


@dataclass
class Worker:
    """`work(connection, *given)` in a fork, which tells what it does."""

    work: Callable[..., None]
    given: tuple[Any, ...]
    last_heard: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._here, there = _FORK.Pipe(duplex=False)
        self._process = _FORK.Process(target=_enter, args=(self.work, there, *self.given))
        self._process.start()
        there.close()

    def message(self, wait: float) -> Any | None:
        """What it said; None if it is silent. EOFError when it has ended."""
        if self._here.poll(wait):
            self.last_heard = time.monotonic()
            return self._here.recv()
        if time.monotonic() - self.last_heard > _STUCK_SECONDS:
            self._process.kill()
        return None

    def ended(self) -> str:
        """How: empty if it came to its end by itself."""
        self._process.join()
        code = self._process.exitcode or 0
        if code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"exit {code}" if code else ""

    def stop(self) -> None:
        self._process.kill()
        self._process.join()
