"""stdout and stderr, which may be closed, full, or read by somebody who has seen enough."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TextIO

from tfprof.errors import OutputNotWritable
from tfprof.printable import printable


def to_stdout(text: str) -> None:
    write_stdout(lambda out: out.write(text))


def write_stdout(write: Callable[[TextIO], object]) -> None:
    """What is written there arrives, or the fault is told as that of any other place."""
    out: TextIO | None = sys.stdout
    if out is None:  # closed before we began
        raise OutputNotWritable("it is closed", where="stdout")
    try:
        write(out)
        out.flush()
    except BrokenPipeError:
        raise
    except OSError as fault:
        what = f"cannot be written: {fault.strerror or fault}"
        raise OutputNotWritable(what, where="stdout") from None


def talk(text: str) -> None:
    """A line of everything that is not the answer: to stderr, if anybody listens."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(printable(text) + "\n")
        sys.stderr.flush()
    except OSError:
        return


def talk_wrapped(text: str) -> None:
    """The same; on a terminal, words are not broken at its edge, and what follows is set in."""
    if sys.stderr is None or not sys.stderr.isatty():
        talk(text)
        return
    import shutil
    import textwrap  # both are loaded only where somebody looks

    width, line = shutil.get_terminal_size().columns, printable(text)
    if max(map(len, line.split(" "))) > width - 2:  # a path: whole, for whoever copies it
        talk(line)
        return
    for part in textwrap.wrap(line, width, subsequent_indent="  ", break_on_hyphens=False):
        talk(part)


def give_up_lost_streams() -> None:
    """Python would complain again of what could not be written, when it closes them."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
