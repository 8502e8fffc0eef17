"""The command line, run in this process or as a user would."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from tfprof.cli.main import main

SOURCES = Path(__file__).parents[1] / "src"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


def run(*words) -> Ran:
    """In this process; what stdout and stderr got, and the exit code. Nothing is caught."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(word) for word in words])
    return Ran(code, out.getvalue(), err.getvalue())


def environment(**changes):
    """The environment of a shell without a terminal; None takes a name out."""
    kept = {k: v for k, v in os.environ.items() if k not in {"COLUMNS", "NO_COLOR", "FORCE_COLOR"}}
    kept |= {"PYTHONPATH": str(SOURCES), "PYTHONWARNINGS": "error"}
    return kept | {name: str(value) for name, value in changes.items()}


def command(*words) -> list[str]:
    return [sys.executable, "-m", "tfprof", *map(str, words)]


def spawn(*words, cwd=None, stdin="", **changes) -> Ran:
    """In a process of its own."""
    done = subprocess.run(
        command(*words),
        capture_output=True,
        text=True,
        encoding="utf-8",
        input=stdin,
        env=environment(**changes),
        cwd=cwd,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
