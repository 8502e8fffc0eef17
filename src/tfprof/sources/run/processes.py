"""Whether the process that wrote a record still runs: only this machine can be asked."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

_LARGEST_PID = 1 << 22
# what clocks may be off by
_SLACK_S = 60.0
_PROC = Path("/proc")


def is_gone(host: str | None, pid: int | None, started: datetime | None) -> bool:
    """False where it cannot be told: of another machine, or without a process in the record.

    A process that began after the record did is another one under the same number.
    """
    from socket import gethostname  # of all that is read, only this needs it

    if host != gethostname() or pid is None or not 0 < pid <= _LARGEST_PID:
        return False
    try:
        os.kill(pid, 0)  # a signal that is none: is there such a process
    except ProcessLookupError:
        return True
    except OSError:  # somebody else's
        return False
    began = _began(pid)
    return began is not None and started is not None and began > started.timestamp() + _SLACK_S


def _began(pid: int) -> float | None:
    """In seconds since 1970; None where the system does not tell."""
    try:
        # behind the name of the program, which may hold anything
        stat = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        lines = (_PROC / "stat").read_text().splitlines()
        booted = next(int(one.split()[1]) for one in lines if one.startswith("btime "))
        return booted + int(stat[19]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, StopIteration):
        return None
