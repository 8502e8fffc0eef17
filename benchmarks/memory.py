"""Peak memory of real runs, next to what tfprof and Grappler say before anything runs.

    python benchmarks/memory.py [--quick] [--fits] [--runs N] [--only REGEX] [--samples FOLDER]

Measured: sessions with Grappler off, traced in full; the highest running sum of what was allocated
and freed, which leaves out the variables. `ours` is the estimate and, in brackets, one worker to
many; a measured median counts as inside up to a thousandth beyond. Grappler's estimate has the
variables in it and is held against measured + variables. A model counts as dominated by its
activations where the measured peak is more than twice the bytes of the trained variables.

With --fits, instead: the largest batch that we say fits in some bytes is run, and the next one.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from _memory_models import MODELS, OWN_SAMPLES, QUICK, Model, in_process_of_its_own, located

import tfprof

CPU = "/cpu:0"
BYTES_EACH = 4  # every trained variable here is a float32
DOMINATED = 2
TOLERANCE = 0.001
GOAL = 0.01
# one sample more, or where a sample is little, so much more
NEXT = 1.02


@dataclass(frozen=True)
class Point:
    """A measured peak and the estimate of it, in bytes beside the variables."""

    peaks: list[int]
    ours: int
    interval: tuple[int, int]
    persistent: int
    trained: int

    @property
    def measured(self) -> int:
        return int(median(self.peaks))

    @property
    def error(self) -> float:
        return self.ours / self.measured - 1

    @property
    def spread(self) -> float:
        return (max(self.peaks) - min(self.peaks)) / self.measured

    @property
    def is_inside(self) -> bool:
        low, high = self.interval
        return low * (1 - TOLERANCE) <= self.measured <= high * (1 + TOLERANCE)

    @property
    def is_activations(self) -> bool:
        return self.measured > DOMINATED * self.trained


@dataclass(frozen=True)
class Subject:
    """A model whose files were found."""

    name: str
    model: Model
    path: Path
    table: Path | None

    def profile(self) -> tfprof.Profile:
        return tfprof.load(self.path, vars=self.table)

    def asked(self, what: str, batch: int, runs: int) -> dict:
        say(f"{what}: {self.name}, batch {batch}")
        return in_process_of_its_own(what, self.name, self.path, self.table or "", batch, runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two small models, to try it out")
    parser.add_argument("--fits", action="store_true", help="run the batch that is said to fit")
    parser.add_argument(
        "--runs", type=int, default=3, metavar="N", help="steps, of each the median"
    )
    parser.add_argument("--only", default="", metavar="REGEX", help="models whose name has it")
    parser.add_argument("--samples", type=Path, metavar="FOLDER", help="where the graphs are")
    given = parser.parse_args()
    folders = (given.samples,) if given.samples else OWN_SAMPLES
    names = [
        name
        for name in (QUICK if given.quick else MODELS)
        if re.search(given.only, name) and (MODELS[name].budgets or not given.fits)
    ]
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as scratch:
        table = fits if given.fits else peaks
        table([(name, subject(name, folders, Path(scratch))) for name in names], given.runs)


def subject(name: str, folders: tuple[Path, ...], scratch: Path) -> Subject | None:
    model = MODELS[name]
    path = located(model.files, folders, scratch)
    if path is None:
        return None
    variables = path.name.replace(".graph.pb", "_vars.json")
    table = located((variables,), folders, scratch) if variables != path.name else None
    return Subject(name, model, path, table)


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def peaks(subjects: list[tuple[str, Subject | None]], runs: int) -> None:
    print("| model | batch | measured (spread) | ours (interval) | error | inside ", end="")
    print("| activations dominate | Grappler | its error |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    points: list[Point] = []
    for name, one in subjects:
        for batch in MODELS[name].batches if one is None else one.model.batches:
            if one is None:
                print(f"| {name} | {batch} | not measured: no file | | | | | | |", flush=True)
            else:
                points += row(one, batch, runs)
    if points:
        print("", *summary(points), sep="\n")


def row(one: Subject, batch: int, runs: int) -> Iterator[Point]:
    """Prints the row of a point, and gives it where it could be measured."""
    found = one.asked("measured", batch, runs)
    if "failed" in found:
        print(f"| {one.name} | {batch} | not measured: {found['failed']} | | | | | | |", flush=True)
        return
    say(f"{', '.join(f'{peak:,}' for peak in found['peaks'])} bytes")
    point = estimated(one, batch, found["peaks"])
    theirs = one.asked("grappler", batch, 1)
    print(
        f"| {one.name} | {batch} | {point.measured:,} ({point.spread:.1%}) "
        f"| {point.ours:,} ({point.interval[0]:,} to {point.interval[1]:,}) | {point.error:+.2%} "
        f"| {yes(point.is_inside)} | {yes(point.is_activations)} | {of_grappler(theirs, point)} |",
        flush=True,
    )
    yield point


def estimated(one: Subject, batch: int, measured: list[int]) -> Point:
    profile, model = one.profile(), one.model
    answer = profile.memory(batch=batch, mode=model.mode, feeds=model.feeds).to_dict()["data"]
    device = answer["devices"][CPU]
    trained = profile.summary().to_dict()["data"]["params"]["trainable"] * BYTES_EACH
    low, high = device["interval"]
    return Point(measured, device["peak_bytes"], (low, high), device["persistent_bytes"], trained)


def of_grappler(found: dict, point: Point) -> str:
    if "failed" in found:
        return f"failed: {found['failed']} | "
    error = found["peak"] / (point.measured + point.persistent) - 1
    return f"{found['peak']:,} | {error:+.1%}"


def summary(points: list[Point]) -> Iterator[str]:
    errors = [abs(point.error) for point in points]
    active = [abs(point.error) for point in points if point.is_activations]
    outside = sum(not point.is_inside for point in points)
    close = sum(error <= GOAL for error in active)
    share = f", {close / len(active):.0%}" if active else ""
    yield f"Error of {len(points)} points: median {median(errors):.2%}, largest {max(errors):.1%}."
    yield f"Activations dominate: {close} of {len(active)} within {GOAL:.0%}{share}."
    yield f"Outside the interval: {outside} of {len(points)}."


def yes(is_so: bool) -> str:  # noqa: FBT001
    return "yes" if is_so else "NO"


def fits(subjects: list[tuple[str, Subject | None]], runs: int) -> None:
    print("| model | bytes | largest batch | measured, with variables | fits ", end="")
    print("| next batch | measured, with variables | is too much |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    verdicts: list[bool] = []
    for name, one in subjects:
        known: dict[int, int | None] = {}
        for budget in MODELS[name].budgets:
            if one is None:
                print(f"| {name} | {budget:,} | not measured: no file | | | | | |", flush=True)
            else:
                verdicts += fit(one, budget, runs, known)
    if verdicts:
        print(f"\n{sum(verdicts)} of {len(verdicts)} as predicted.")


def fit(one: Subject, budget: int, runs: int, known: dict[int, int | None]) -> Iterator[bool]:
    """Prints the row of a budget; gives whether that batch fits, and whether the next does not."""
    model = one.model
    answer = one.profile().memory(mode=model.mode, feeds=model.feeds, device_memory=budget)
    found = answer.to_dict()["data"]
    persistent, batch = found["devices"][CPU]["persistent_bytes"], found["max_batch"]
    following = max(batch + 1, int(batch * NEXT))
    cells = []
    for size, should_fit in ((batch, True), (following, False)):
        if size not in known:
            known[size] = transient(one, size, runs) if size else 0
        total = known[size]
        if total is None:
            cells.append("not measured | ")
            continue
        is_so = (total + persistent <= budget) == should_fit
        cells.append(f"{total + persistent:,} | {yes(is_so)}")
        yield is_so
    print(
        f"| {one.name} | {budget:,} | {batch} | {cells[0]} | {following} | {cells[1]} |", flush=True
    )


def transient(one: Subject, batch: int, runs: int) -> int | None:
    found = one.asked("measured", batch, runs)
    return None if "failed" in found else int(median(found["peaks"]))


if __name__ == "__main__":
    main()
