"""Files that ask for far more work than their size: seconds and memory of every command.

    python benchmarks/extremes.py [--quick] [--only NAME] [--commands 'layers;memory']

The files are made in a temporary folder, at the size that once took minutes or gigabytes. Each
command runs in a forked process with limits; its seconds are processor time. No other tool reads
them all: the limits of 20 s and 2 GB are what we hold ourselves to.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hostile_files import EXTREMES, Extreme
from limited import COMMANDS, Taken, run_limited


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small files, to try it out")
    parser.add_argument("--only", default="", help="files whose name holds this")
    parser.add_argument("--commands", default=";".join(COMMANDS), help="split at semicolons")
    given = parser.parse_args()
    print("| file | size | worst command | seconds | worst command | MB | over the limits |")
    print("|---|---|---|---|---|---|---|")
    found = [
        measured(name, extreme, extreme.small if given.quick else extreme.full, given.commands)
        for name, extreme in EXTREMES.items()
        if given.only in name
    ]
    return 0 if all(found) else 1


def measured(name: str, extreme: Extreme, size: int, commands: str) -> bool:
    """Prints a row; whether every command kept within the limits."""
    with tempfile.TemporaryDirectory(prefix="tfprof-extremes-") as folder:
        path = extreme.make(Path(folder), size)
        ran = {one: run_limited(*one.split(), path) for one in commands.split(";")}
    slowest = max(ran, key=lambda one: ran[one].seconds)
    largest = max(ran, key=lambda one: ran[one].megabytes)
    over = [ended(one, taken) for one, taken in ran.items() if not taken.is_fine]
    times = f"{slowest} | {ran[slowest].seconds:.1f}"
    memory = f"{largest} | {ran[largest].megabytes:,}"
    print(f"| {name} | {size:,} | {times} | {memory} | {'; '.join(over)} |", flush=True)
    return not over


def ended(command: str, taken: Taken) -> str:
    return f"{command}: exit {taken.code}, {taken.seconds:.1f} s, {taken.megabytes:,} MB"


if __name__ == "__main__":
    sys.exit(main())
