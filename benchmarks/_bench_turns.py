"""Two programs in turns, each time as processes of their own: seconds and peaks of memory.

In turns, because a busy moment of the machine then meets both. This process has to stay small: on
Linux, what a child is said to have held at most is no less than what its parent held.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import _processes

# Linux counts in kilobytes, macOS in bytes
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Unmeasured(Exception):
    """Why a program could not be measured."""


@dataclass(frozen=True)
class Taken:
    """`seconds` from start to end; `alone` is what the program says that its own work took."""

    seconds: float
    peak: int
    alone: float | None


Program = Callable[[Path], list[str]]  # its words, given a folder of its own that is empty


def in_turns(
    programs: list[Program], runs: int, *, together: bool = False
) -> Iterator[list[Taken]]:
    """What each took, run by run. The run before the first is not counted: it fills the caches.

    `together`: memory is that of all processes which a program starts, looked at now and then.
    """
    for number in range(runs + 1):
        taken = [_run(program, together) for program in programs]
        if number:
            yield taken


def _run(program: Program, together: bool) -> Taken:  # noqa: FBT001
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as name:
        words, out = program(Path(name)), Path(name) / "stdout"
        with out.open("wb") as stdout, (Path(name) / "stderr").open("w+b") as stderr:
            start = time.perf_counter()
            process = subprocess.Popen(words, stdout=stdout, stderr=stderr, env=_environment())
            try:
                all_peaks = _processes.most_together(process) if together else 0
                code, peak = _ended(process)
            except BaseException:
                process.kill()
                process.wait()
                raise
            seconds = time.perf_counter() - start
            if code:
                stderr.seek(0)
                said = stderr.read().decode(errors="replace").strip().splitlines()
                raise Unmeasured(said[-1] if said else f"exit code {code}")
        return Taken(seconds, max(peak, all_peaks), _alone(out.read_bytes()))


def _environment() -> dict[str, str]:
    """As users start it: compiled modules are kept. TensorFlow is to say nothing."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}


def _ended(process: subprocess.Popen[bytes]) -> tuple[int, int]:
    """The exit code, and the most memory that it held."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_maxrss * RSS_UNIT


def _alone(out: bytes) -> float | None:
    """The last line, where it is a number: the best of several, where it is a list."""
    try:
        said = json.loads(out.splitlines()[-1])
    except (ValueError, IndexError):
        return None
    if isinstance(said, dict):
        said = said.get("times")
    if isinstance(said, list) and said:
        said = min(said)
    return float(said) if isinstance(said, float) else None
