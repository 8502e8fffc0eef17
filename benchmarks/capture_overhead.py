"""What recording costs: steps outside the captured ones, and captured ones beside TensorFlow's own.

    python benchmarks/capture_overhead.py [--quick] [--runs N] [--steps N]

The same script runs plainly, under `tfprof run --steps A..B`, and with TensorFlow's profiler around
the same steps; each in turn, so that a machine that gets slower does so for all of them. Of each
run the mean step counts, of the runs the median. A quiet machine is needed: the first line says
how far the plain runs differ among themselves.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

from _compare import word

SCRIPT = Path(__file__).with_name("_overhead_script.py")
RUNS, STEPS, WINDOW = 5, 240, 20
WARM_UP = 20
OUTSIDE, INSIDE = 0.02, 0.10


@dataclass(frozen=True)
class Asked:
    layout: str
    steps: int
    # captured, counted from 1
    first: int
    last: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one run of few steps")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    runs, steps = (1, 60) if options.quick else (options.runs, options.steps)
    first = steps // 2
    for layout in ("fit", "loop"):
        _measured(Asked(layout, steps, first, first + WINDOW - 1), runs)


def _measured(asked: Asked, runs: int) -> None:
    plain, ours, own = [], [], []
    for _ in range(runs):
        plain.append(_periods(asked, "plain"))
        ours.append(_periods(asked, "tfprof run"))
        own.append(_periods(asked, "TensorFlow"))
    base = [_outside(one, asked) for one in plain]
    print(f"   {asked.layout}: {runs} runs of {asked.steps} steps each, in turn")
    spread = (max(base) - min(base)) / median(base)
    print(f"   plain                     {1e3 * median(base):8.2f} ms a step, ± {spread / 2:.1%}")
    outside = median(_outside(one, asked) for one in ours)
    more = outside / median(base) - 1
    print(f"   tfprof run, not captured  {1e3 * outside:8.2f} ms a step")
    inside, theirs = (median(_inside(one, asked) for one in these) for these in (ours, own))
    print(f"   tfprof run, captured      {1e3 * inside:8.2f} ms a step")
    print(f"   TensorFlow's profiler     {1e3 * theirs:8.2f} ms a step, the same {WINDOW} steps")
    beside = [median(_ends(one, asked) for one in these) for these in (ours, own)]
    print(f"   starting and stopping     {beside[0]:8.2f} s, TensorFlow's {beside[1]:.2f} s")
    ratio = inside / theirs - 1
    for where, found, goal in (("outside", more, OUTSIDE), ("inside", ratio, INSIDE)):
        told = word(found < goal) if spread / 2 < goal else "? plain runs differ by more"
        print(f"   {found:+.2%} {where}  goal {goal:.0%}  {told}")


def _periods(asked: Asked, how: str) -> list[float]:
    """From the beginning of each step to the next one's."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "times.json"
        script = [str(SCRIPT), asked.layout, str(out), str(asked.steps)]
        window = (asked.first, asked.last)
        if how == "TensorFlow":
            command = [sys.executable, *script, *map(str, window)]
        elif how == "plain":
            command = [sys.executable, *script]
        else:
            to = f"{window[0]}..{window[1]}"
            command = [sys.executable, "-m", "tfprof", "run", "--steps", to]
            command += ["--logdir", folder, *script]
        quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=quiet)
        if done.returncode:
            sys.exit(f"{how}: exit code {done.returncode}\n{done.stderr}")
        began = json.loads(out.read_text())
    return [after - before for before, after in pairwise(began)]


def _outside(periods: list[float], asked: Asked) -> float:
    """A step that is not captured. One on either side of the window starts and stops things."""
    before, after = periods[WARM_UP : asked.first - 2], periods[asked.last + 1 :]
    return mean([*before, *after])


def _inside(periods: list[float], asked: Asked) -> float:
    return mean(periods[asked.first : asked.last - 1])


def _ends(periods: list[float], asked: Asked) -> float:
    """What the steps where it starts and stops took longer than the others in the window."""
    around = periods[asked.first - 2 : asked.first] + periods[asked.last - 1 : asked.last + 1]
    return sum(around) - len(around) * mean(periods[asked.first : asked.last - 1])


if __name__ == "__main__":
    main()
