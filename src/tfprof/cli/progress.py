"""A progress bar on stderr, once reading has taken a second. Never in a pipe.

What is read late, when the answer is being shown, is read without one: a bar paints over whatever
else the terminal shows, and nobody would take it down.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tfprof.printable import printable

if TYPE_CHECKING:
    from pathlib import Path

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_PATIENCE = 1.0


class Reading:
    """Hears (file, size) and gives back who hears how many bytes are done."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._bar: Bar | None = None
        self._shown: TaskID | None = None
        self._over = False

    def __call__(self, path: Path, size: int) -> Callable[[int], None]:
        show = self._task(size)
        return lambda read: show(_said(path), read)

    def hosts(self, count: int, size: int) -> Callable[[int, int], None]:
        """Of a session: hears how many hosts are done, and how many of their bytes.

        Hosts that are read again have a bar of their own, in place of the one before.
        """
        self._take_down()
        show = self._task(size)
        return lambda done, read: show(f"{done:,} of {count:,} hosts", read)

    def runs(self, count: int, size: int) -> Callable[[int, int], None]:
        """The same of a history."""
        show = self._task(size)
        return lambda done, read: show(f"{done:,} of {count:,} runs", read)

    def _task(self, size: int) -> Callable[[str, int], None]:
        task: TaskID | None = None

        def show(said: str, read: int) -> None:
            nonlocal task
            if self._over or (self._bar is None and self._waits()):
                return
            if self._bar is None:
                self._bar = _shown()
            if task is None:
                task = self._shown = self._bar.add_task(said, total=size)
            self._bar.update(task, completed=read, description=said)

        return show

    def _take_down(self) -> None:
        if self._bar is not None and self._shown is not None:
            self._bar.remove_task(self._shown)
            self._shown = None

    def _waits(self) -> bool:
        return time.monotonic() - self._started < _PATIENCE

    def end(self) -> None:
        self._over = True
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def progress_bar() -> Iterator[Reading | None]:
    """None where nobody would see it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    reading = Reading()
    try:
        yield reading
    finally:
        reading.end()


def _said(path: Path) -> str:
    """Rich would take brackets in a name for markup."""
    from rich.markup import escape

    return escape(printable(path.name))


def _shown() -> Bar:
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.start()
    return bar
