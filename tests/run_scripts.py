"""Scripts under `tfprof run` and without it, side by side."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from run_cli import SOURCES

# PYTHONPATH of scripts
SEARCH = str(SOURCES)
# whoever takes longer is taken to hang
SECONDS = 110
# of a shell, without what the tests themselves set
_LEFT_OUT = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "PYTHONWARNINGS", "PYTEST_CURRENT_TEST")


@dataclass(frozen=True)
class ScriptRun:
    code: int
    out: str
    err: str
    logdir: Path = field(default=Path())

    @property
    def folder(self) -> Path:
        """That of the newest run."""
        return max(self.logdir.iterdir(), key=lambda path: (path.stat().st_mtime_ns, path.name))

    @property
    def top(self) -> dict:
        return json.loads((self.folder / "run.json").read_text("utf-8"))

    def record(self, rank=0) -> dict:
        return json.loads((self.folder / f"rank-{rank}" / "run.json").read_text("utf-8"))

    @property
    def said(self) -> list[str]:
        """What tfprof says once the script has ended, line by line, before the summary."""
        said = [line for line in self.err.splitlines() if line.startswith("tfprof: ")]
        return [line for line in said if "a capture has at most" not in line]

    def captured(self, rank=0) -> list[tuple]:
        """First step, last step, whether whole, of each capture."""
        captures = self.record(rank)["captures"]
        return [(one["first_step"], one["last_step"], one["complete"]) for one in captures]


def script_environment(**changes) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
    return kept | {"PYTHONPATH": SEARCH} | changes


def written(folder: Path, text: str, name: str = "train.py") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text), "utf-8")
    return path


def plain(folder: Path, *words, stdin="", **changes) -> ScriptRun:
    """The words given to Python itself."""
    return _done([sys.executable, *words], folder, stdin, changes)


def under_run(folder: Path, *words, stdin="", seconds=SECONDS, **changes) -> ScriptRun:
    """The words given to `tfprof run`, in `folder`."""
    words = [sys.executable, "-m", "tfprof", "run", *words]
    return _done(words, folder, stdin, changes, seconds)


def started(folder: Path, *words, **given) -> subprocess.Popen:
    """The same, still running."""
    return subprocess.Popen(
        [sys.executable, "-m", "tfprof", "run", *map(str, words)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=script_environment(),
        preexec_fn=listen_to_ctrl_c,  # noqa: PLW1509  (no threads here)
        **given,
    )


def listen_to_ctrl_c():
    """A shell lets what it runs in the background ignore it, and so would the script."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def ended(process: subprocess.Popen, folder: Path, before: str = "") -> ScriptRun:
    """What `started` came to; `before` was read from its stdout already."""
    out, err = process.communicate(timeout=100)
    return ScriptRun(process.returncode, before + out, err, folder / "tfprof-runs")


def child_of(process: subprocess.Popen) -> int:
    """The script that `started` started."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return int(children.read_text("utf-8").split()[0])


def _done(words, folder, stdin, changes, seconds=SECONDS) -> ScriptRun:
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        capture_output=True,
        text=True,
        input=stdin,
        env=script_environment(**changes),
        timeout=seconds,
        preexec_fn=listen_to_ctrl_c,
        check=False,
    )
    return ScriptRun(done.returncode, done.stdout, done.stderr, folder / "tfprof-runs")
