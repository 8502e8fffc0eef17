"""What a process and those that it starts take together, seen from outside; Linux tells."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

# seconds: of processes that are there at once, the peaks are added up
_LOOK_AGAIN = 0.02


def most_together(process: subprocess.Popen[bytes]) -> int:
    """Waits for its end without taking it, so that whoever does still hears what it used: bytes."""
    most = 0
    while not _has_ended(process.pid):
        most = max(most, sum(map(peak, _with_children(process.pid))))
        time.sleep(_LOOK_AGAIN)
    return most


def peak(pid: int) -> int:
    """The most that a process took so far, in bytes; 0 of one that has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(one.split()[1]) * 1024 for one in lines if one.startswith("VmHWM")), 0)


def cpu_fields(pid: int) -> list[str]:
    """Of /proc/PID/stat, what stands behind the name: the state first."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _has_ended(pid: int) -> bool:
    try:
        return cpu_fields(pid)[0] in "ZX"
    except OSError:
        return True


def _with_children(pid: int) -> list[int]:
    """A process and those that it started; none of it where it has just ended."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(one for child in children for one in _with_children(int(child)))]
