"""The parent of the script: starts it, hands signals on, waits, and ends as it ended.

The script is started as `python train.py` is, with the same streams and in the same process group.
So what a terminal sends (Ctrl-C) reaches it by itself; what somebody sends to the parent alone is
handed on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from tfprof.frozen_dataclass import frozen_dataclass

SITE: Final = Path(__file__).with_name("site")
_NAMES: Final = (
    "SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGPIPE",
)  # fmt: skip
_HANDED_ON: Final = frozenset(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
# of what the kernel itself sends, as for a key of the terminal; not everywhere is it told
_BY_SOMEBODY: Final = 0


@frozen_dataclass
class Ended:
    """The exit code of the script; the number of the signal that ended it, negative."""

    code: int
    process: int


def run_script(words: Sequence[str], environment: Mapping[str, str]) -> Ended:
    """Until it has ended."""
    waited = _HANDED_ON | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    # without a handler there is nothing to wait for: a child that ends would send nothing
    handler = signal.signal(signal.SIGCHLD, _nothing)
    try:
        with subprocess.Popen(  # noqa: S603  (what the user asks to run)
            [sys.executable, *words],
            env=environment,
            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, before),  # noqa: PLW1509
        ) as script:
            while script.poll() is None:
                _hand_on(script, waited)
            return Ended(script.returncode, script.pid)
    finally:
        signal.signal(signal.SIGCHLD, handler)
        while signal.sigpending() & _HANDED_ON:  # too late for the script, and not meant for us
            signal.sigwait(_HANDED_ON)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _hand_on(script: subprocess.Popen[bytes], waited: frozenset[signal.Signals]) -> None:
    """Waits for the next signal. One that the script got as well is not sent again."""
    if hasattr(signal, "sigwaitinfo"):
        told = signal.sigwaitinfo(waited)
        number, sent = told.si_signo, told.si_code <= _BY_SOMEBODY
    else:
        number = signal.sigwait(waited)
        sent = number != signal.SIGINT or not os.isatty(0)
    if number in _HANDED_ON and sent:
        with suppress(ProcessLookupError):
            script.send_signal(number)


def _nothing(_number: int, _frame: object) -> None:
    return None


def end_like(code: int) -> int:
    """The exit code to end with; after a signal this process gets the same one, and is no more."""
    return code if code >= 0 else _killed_by(-code)


def _killed_by(number: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the script's own core is the one of use
    with suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)
