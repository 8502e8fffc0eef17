"""What tfprof says of models it was not made for, next to what runs of them took.

    python benchmarks/wild.py [FOLDER] [--only REGEX] [--against noopt|default]

FOLDER holds `NAME.graph.pb` (or `.gz`), `NAME_vars.json`, and `expected.json` with the transient
peaks of some runs at each batch; without it, those of `measure_memory.py` in the repository.
`peaks` are by the rule of mem_util, `held` has the variables put right that a step replaces
(mem_util has the new buffer, and misses that the old one goes).

The band reaches from the least to the most that was held; a distance is how far the estimate lies
outside of it. Every run has to be inside the interval. `peaks` has the same for the bare rule.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import tfprof

CPU = "/cpu:0"
MEASURED = Path(__file__).parents[1] / "tests/wild_measured"
TOLERANCE = 0.001
GOALS = {"median distance": 0.01, "most": 0.15, "median width": 1.3, "width of 90 %": 2.0}


@dataclass(frozen=True)
class Band:
    """The least and the most of some runs."""

    low: int
    high: int

    def distance(self, bytes_: int) -> float:
        """Of an estimate from the nearer end; 0 inside."""
        if bytes_ < self.low:
            return bytes_ / self.low - 1
        return bytes_ / self.high - 1 if bytes_ > self.high else 0.0


@dataclass(frozen=True)
class Point:
    """A model at a batch: runs and the estimate, in bytes beside the variables."""

    model: str
    batch: int
    held: Band
    peaks: Band
    ours: int
    interval: tuple[int, int | None]

    @property
    def is_inside(self) -> bool:
        """Whether every run lies in the interval; one that has no upper end promises nothing."""
        low, high = self.interval
        if high is None:
            return False
        return low <= self.held.low * (1 + TOLERANCE) and self.held.high <= high * (1 + TOLERANCE)

    @property
    def is_below_its_end(self) -> bool:
        """Whether what is promised to be the most was: who asks what fits goes by that."""
        high = self.interval[1]
        return high is not None and self.held.high <= high * (1 + TOLERANCE)

    @property
    def width(self) -> float:
        low, high = self.interval
        return high / low if high is not None and low else float("inf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=MEASURED)
    parser.add_argument("--only", default="", metavar="REGEX", help="models whose name has it")
    parser.add_argument("--against", default="noopt", choices=("noopt", "default"))
    given = parser.parse_args()
    expected = json.loads((given.folder / "expected.json").read_text())
    print(
        "| model | batch | held | peaks | ours (interval) | distance | of peaks | inside | width |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    found: list[Point] = []
    for name, facts in expected.items():
        if re.search(given.only, name):
            for point in points(given.folder, name, facts, given.against):
                print(row(point), flush=True)
                found.append(point)
    print("", *summary(found), sep="\n")


def points(folder: Path, name: str, facts: dict, against: str) -> Iterator[Point]:
    (graph,) = folder.glob(f"{name}.graph.pb*")
    profile = tfprof.load(graph, vars=folder / f"{name}_vars.json")
    for batch, measured in facts["points"].items():
        runs = measured.get(against)
        if runs is None:
            continue
        feeds = {key: tuple(shape) for key, shape in measured.get("feeds", {}).items()}
        # shapes that are fed have the batch in them, some a multiple of it
        asked = {"feeds": feeds} if feeds else {"batch": int(batch)}
        answer = profile.memory(**asked, dims=facts.get("dims") or None, **machine(facts))
        device = answer.to_dict()["data"]["devices"][CPU]
        held, peaks = (Band(min(runs[key]), max(runs[key])) for key in ("held", "peaks"))
        low, high = device["interval"]
        ours = device["peak_bytes"] or low
        yield Point(name, int(batch), held, peaks, ours, (low, high))


def machine(facts: dict) -> dict[str, int]:
    """Of the machine that measured, what a step of the model depends on."""
    return {"last_cache": facts["last_cache"]} if "last_cache" in facts else {}


def row(point: Point) -> str:
    low, high = point.interval
    return (
        f"| {point.model} | {point.batch} | {point.held.low:,} to {point.held.high:,} "
        f"| {point.peaks.low:,} to {point.peaks.high:,} "
        f"| {point.ours:,} ({low:,} to {'?' if high is None else f'{high:,}'}) "
        f"| {point.held.distance(point.ours):+.1%} | {point.peaks.distance(point.ours):+.1%} "
        f"| {'yes' if point.is_inside else 'NO'} | {point.width:.2f} |"
    )


def summary(found: list[Point]) -> Iterator[str]:
    for what, bands in (("held", [p.held for p in found]), ("peaks", [p.peaks for p in found])):
        far = [abs(b.distance(p.ours)) for b, p in zip(bands, found, strict=True)]
        yield f"- {what}: distance {median(far):.2%} in the median, {max(far):.1%} at most"
    widths = sorted(point.width for point in found)
    inside = sum(point.is_inside for point in found)
    near = sum(abs(point.held.distance(point.ours)) <= GOALS["most"] for point in found)
    below = sum(point.is_below_its_end for point in found)
    ninth = widths[max(0, -(-len(widths) * 9 // 10) - 1)]
    yield f"- {near} of {len(found)} points are within {GOALS['most']:.0%} of what was held"
    yield f"- {inside} have every run inside the interval, {below} none above its end"
    yield f"- high/low {median(widths):.2f} in the median, {ninth:.2f} at most for 90 %"


if __name__ == "__main__":
    main()
