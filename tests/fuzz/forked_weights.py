"""The process that reads weights, forked: a new one takes longer to start than all questions."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import IO, Any

from tfprof.sources.keras import in_a_child as child
from tfprof.sources.keras import weights


def use_forks() -> None:
    """What it answers with, and what it dies of, is as it would be in a new one."""
    try:
        import h5py  # noqa: F401  (every fork would load it anew)
    except ImportError:
        return
    weights.in_a_child = _in_a_fork


def _in_a_fork(module: str, given: dict[str, Any], stdin: IO[bytes], where: str) -> Any:
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        _live(module, given, stdin, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(process, 0)
    return child.result_of(os.waitstatus_to_exitcode(status), said, where)


def _live(module: str, given: dict[str, Any], stdin: IO[bytes], writing: int) -> None:
    code = 1
    try:
        signal.setitimer(signal.ITIMER_PROF, 0)  # the clock of the question: it has its own
        os.dup2(stdin.fileno(), 0)
        sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(writing, "w")
        child.answer(module, json.dumps(given))
        sys.stdout.flush()
        code = 0
    finally:
        os._exit(code)
