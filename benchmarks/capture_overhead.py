"""What recording costs: steps outside the captured ones, and captured ones beside TensorFlow's own.

    python benchmarks/capture_overhead.py [--quick] [--runs N] [--steps N] [--layout fit|loop]

The same script runs plainly, under `tfprof run --steps A..B`, and with TensorFlow's profiler around
the same steps, one after the other, on one core: what we do on another thread is paid for, too. Of
each run the median step counts. Runs that followed each other are compared; the median of these
pairs decides, and is told with the lowest and the highest. By the clock a quiet machine is needed;
CPU seconds, beside it, hardly mind a busy one. Which of the two decides is the one whose pairs
differ less. On a quiet machine it takes about nine minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from _compare import word

SCRIPT = Path(__file__).with_name("_overhead_script.py")
# of them 200 and more are neither captured nor warm up
RUNS, STEPS, WINDOW = 5, 260, 20
WARM_UP = 20
SHORTEST_MS = 20
OUTSIDE, INSIDE = 0.02, 0.10
CLOCKS = ("by the clock", "CPU")
WAYS = ("plain", "tfprof run", "TensorFlow")


@dataclass(frozen=True)
class Asked:
    layout: str
    steps: int
    # captured, counted from 1
    first: int
    last: int


@dataclass(frozen=True)
class Run:
    """Seconds from the beginning of each step to the next one's, by one of the clocks."""

    periods: list[float]
    asked: Asked

    @property
    def outside(self) -> float:
        """A step that is not captured. One on either side of the window starts and stops things."""
        before = self.periods[WARM_UP : self.asked.first - 2]
        return median([*before, *self.periods[self.asked.last + 1 :]])

    @property
    def inside(self) -> float:
        return median(self.periods[self.asked.first : self.asked.last - 1])

    @property
    def ends(self) -> float:
        """How much longer the steps take that start and stop the capture."""
        first, last = self.asked.first, self.asked.last
        around = self.periods[first - 2 : first] + self.periods[last - 1 : last + 1]
        return sum(around) - len(around) * self.inside

    @property
    def after(self) -> float:
        """How much longer the steps after the capture take, all together."""
        rest = self.periods[self.asked.last + 1 :]
        return sum(rest) - len(rest) * self.outside


# by way and clock
Runs = dict[tuple[str, str], list[Run]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one run of few steps")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--layout", choices=("fit", "loop"), action="append")
    options = parser.parse_args()
    runs, steps = (1, 80) if options.quick else (options.runs, options.steps)
    first = steps // 2
    for layout in options.layout or ("fit", "loop"):
        _measured(Asked(layout, steps, first, first + WINDOW - 1), runs)


def _measured(asked: Asked, count: int) -> None:
    runs: Runs = {(way, clock): [] for way in WAYS for clock in CLOCKS}
    for _ in range(count):
        for way in WAYS:
            for clock, periods in zip(CLOCKS, _periods(asked, way), strict=True):
                runs[way, clock].append(Run(periods, asked))
    print(f"   {asked.layout}: {count} runs of {asked.steps} steps each, in turn, on one core")
    print(f"   {'':24}{'by the clock':>16}{'CPU':>16}")
    _row("plain step", runs, "plain", lambda run: run.outside, 1e3, "ms")
    usual = 1e3 * median(run.outside for run in runs["plain", CLOCKS[0]])
    print(f"   {word(usual >= SHORTEST_MS)}: a step takes {SHORTEST_MS} ms or more")
    _row("tfprof run, not captured", runs, "tfprof run", lambda run: run.outside, 1e3, "ms")
    _row("tfprof run, captured", runs, "tfprof run", lambda run: run.inside, 1e3, "ms")
    _row("TensorFlow's profiler", runs, "TensorFlow", lambda run: run.inside, 1e3, "ms")
    for way in WAYS[1:]:
        _row(f"start, stop: {way}", runs, way, lambda run: run.ends, 1, "s")
        _row(f"steps after: {way}", runs, way, lambda run: run.after, 1, "s")
    _judged("outside", OUTSIDE, runs, ("tfprof run", "plain"), lambda run: run.outside)
    _judged("inside", INSIDE, runs, ("tfprof run", "TensorFlow"), lambda run: run.inside)


def _row(
    name: str, runs: Runs, way: str, of: Callable[[Run], float], scale: float, unit: str
) -> None:
    told = [scale * median(map(of, runs[way, clock])) for clock in CLOCKS]
    print(f"   {name:24}" + "".join(f"{value:>13.3f} {unit:2}" for value in told))


def _judged(
    where: str, goal: float, runs: Runs, pair: tuple[str, str], of: Callable[[Run], float]
) -> None:
    """Each run with the one beside it; the clock whose pairs agree is believed."""
    found = {
        clock: sorted(
            of(ours) / of(theirs) - 1
            for ours, theirs in zip(*(runs[way, clock] for way in pair), strict=True)
        )
        for clock in CLOCKS
    }
    clock = min(found, key=lambda one: found[one][-1] - found[one][0])
    more = found[clock]
    told = word(median(more) < goal)
    if (more[-1] - more[0]) / 2 >= goal:
        told += ", though pairs differ by more than the goal"
    other = "; ".join(f"{median(found[one]):+.2%} {one}" for one in CLOCKS if one != clock)
    print(
        f"   {median(more):+.2%} {where}, {clock}, {len(more)} pairs {more[0]:+.2%} to "
        f"{more[-1]:+.2%}  goal {goal:.0%}  {told}  ({other})"
    )


def _periods(asked: Asked, way: str) -> list[list[float]]:
    """From the beginning of each step to the next one's, by each clock."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "times.json"
        script = [str(SCRIPT), asked.layout, str(out), str(asked.steps)]
        window = (asked.first, asked.last)
        if way == "TensorFlow":
            command = [sys.executable, *script, *map(str, window)]
        elif way == "plain":
            command = [sys.executable, *script]
        else:
            to = f"{window[0]}..{window[1]}"
            command = [sys.executable, "-m", "tfprof", "run", "--steps", to]
            command += ["--logdir", folder, *script]
        quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=quiet)
        if done.returncode:
            sys.exit(f"{way}: exit code {done.returncode}\n{done.stderr}")
        began = json.loads(out.read_text())
    return [
        [after - before for before, after in pairwise(clock)] for clock in zip(*began, strict=True)
    ]


if __name__ == "__main__":
    main()
