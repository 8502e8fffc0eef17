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

_PATIENCE = 1.0


@contextmanager
def progress_bar() -> Iterator[Callable[[Path, int], Callable[[int], None]] | None]:
    """Hears (file, size) and gives back who hears how many bytes are done."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    started = time.monotonic()
    bar: Bar | None = None
    over = False

    def reading(path: Path, size: int) -> Callable[[int], None]:
        task = None

        def done(read: int) -> None:
            nonlocal bar, task
            if over or (bar is None and time.monotonic() - started < _PATIENCE):
                return
            if bar is None:
                bar = _shown()
            if task is None:
                task = bar.add_task(_said(path), total=size)
            bar.update(task, completed=read)

        return done

    try:
        yield reading
    finally:
        over = True
        if bar is not None:
            bar.stop()


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
