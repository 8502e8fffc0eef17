"""A call in a process of its own, which may be killed over it: whoever called goes on."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from subprocess import PIPE
from typing import IO, Generic, TypeVar, cast

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.host_work import Lost
from tfprof.workers.own_memory import keep_memory

T = TypeVar("T")
R = TypeVar("R")


@frozen_dataclass
class Apart(Generic[T, R]):
    """Says what `call` says, or that its process was killed; an exception is raised here.

    The process is not one of `multiprocessing`, which lets no worker of Dask have children.
    """

    call: Callable[[T], R]

    def __call__(self, item: T) -> R | Lost:
        said, code = _asked(pickle.dumps(sys.path) + pickle.dumps((self.call, item)))
        if not said:
            return Lost(_why(code))
        answer, fault = pickle.loads(said)  # noqa: S301  (of a process of ours)
        if fault is not None:
            raise fault
        return cast("R", answer)


def _asked(question: bytes) -> tuple[bytes, int]:
    """What the process says, if it does, and its exit code."""
    command = [sys.executable, "-c", _CHILD]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE) as process:  # noqa: S603  (ourselves)
        to, of = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        try:
            to.write(question)
            to.flush()
        except BrokenPipeError:  # it says why by its end
            with suppress(BrokenPipeError):
                to.close()
        said = of.read()
    return said, process.returncode


# modules are found where they are found here, the first of them being this one
_CHILD = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from tfprof.workers.apart import _answer; _answer()"
)


def _answer() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is written is no answer
    keep_memory()
    call, item = pickle.load(sys.stdin.buffer)  # noqa: S301  (of whoever started this)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        said = pickle.dumps((call(item), None))
    except Exception as fault:  # noqa: BLE001  (raised again by whoever asked)
        said = pickle.dumps((None, fault))
    answers.write(said)
    answers.close()


def _end_with_parent() -> None:
    """Nobody writes any more: what ends is the other side."""
    sys.stdin.buffer.read()
    os._exit(1)


def _why(code: int) -> str:
    if code >= 0:
        return f"the process that read it ended without an answer, with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    memory = ": there may be too little memory" if -code == signal.SIGKILL else ""
    return f"every worker that read it was killed, at last by {name}{memory}"
