"""`docs/benchmarks.md`: the table of `bench.py` with what it was measured on."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path

from _bench_rows import Row
from _bench_table import Kept, table

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "tfprof",
    "numpy",
    "protobuf",
    "google-crc32c",
    "tensorflow-cpu",
    "xprof",
    "tensorboard",
)
PAGE = """# Benchmarks

How long tfprof takes for work that another tool does, too: the same files, on the same machine, in
turns. `make bench` measures it, prints the table and writes this page; `make bench
ROWS='scope load'` does so for some rows. `make bench-check` measures again and fails where *times
as fast* fell by more than a third: seconds differ from machine to machine, ratios do so less.

{table}
- Seconds are by the clock: the median, then the shortest and the longest. *Times as fast* is the
  other tool's time through ours, turn by turn: the median, the least and the most. Before the first
  turn both run once, uncounted.
- A command is a whole process, from `python` to the last line, its modules compiled. So is the
  other tool, its imports included; *alone* is what its work takes without them, against our whole
  process. *Second command*, *files to columns* and checkpoints are measured inside of processes
  that have their imports behind them, on both sides.
- MB are the most memory that a process held, in any of its runs; of hosts, all processes of a
  program together.
- XProf's answers are those that the tables and charts of its page load; TensorFlow's engine is the
  original tfprof, in C++, which TensorFlow still has; Grappler's estimate is
  `DeterminePeakMemoryUsage`, with TensorFlow's import of the graph before it. The graphs are made
  by `benchmarks/_generate.py`; the capture is a real one whose events are repeated.
- The scripts in `benchmarks` tell more of one question each; many of them are about how right an
  answer is, not how fast.

## Measured on

{runs}"""


def page(rows: Iterable[Row], kept: Kept) -> str:
    runs = "".join(_run(kept, date) for date in sorted(kept.runs)) or "Nothing yet.\n"
    return PAGE.format(table=table(rows, kept.rows), runs=runs)


def _run(kept: Kept, date: str) -> str:
    told = kept.runs[date]
    of_it = [key for key, row in kept.rows.items() if row.run == date]
    which = "" if len(kept.runs) == 1 else f"; rows: {', '.join(of_it)}"
    facts = "".join(f"    - {name}: {value}\n" for name, value in told.items() if name != "date")
    return f"- {date}{which}\n{facts}"


def this_run(turns: int) -> dict[str, str]:
    """The date, the machine and the versions; nothing that names the machine."""
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
    versions = [f"Python {platform.python_version()}", *filter(None, map(_version, PACKAGES))]
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return {
        "date": now,
        "turns": str(turns),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {gigabytes:.0f} GB",
        "system": f"{platform.system()} {platform.release()}",
        "versions": ", ".join(versions),
        "commit": _commit(),
        "others on the machine": f"{os.getloadavg()[0]:.1f} processes that ran, when it began",
    }


def _version(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _commit() -> str:
    words = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"
