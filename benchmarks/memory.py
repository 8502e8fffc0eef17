"""Peak memory of real runs, next to what tfprof and Grappler say before anything runs.

    python benchmarks/memory.py [--quick] [--fits] [--runs N] [--only REGEX] [--samples FOLDER]

Measured: sessions with Grappler off, traced in full; the highest running sum of what was allocated
and freed, the median of some runs. Variables are not in it, but for those that a step replaces: the
new buffer is on record, that the old one goes is not. `held` has them put right.

Ours is the estimate and, in brackets, one worker to many; a median up to a thousandth beyond is
inside. Grappler counts the variables, so it is compared with measured + variables. Activations
dominate where the measured peak is more than twice the bytes of the trained variables.

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
from statistics import median, median_low

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
    held: int
    ours: int
    interval: tuple[int, int]
    persistent: int
    trained: int

    @property
    def measured(self) -> int:
        return median_low(self.peaks)

    @property
    def spread(self) -> float:
        return (max(self.peaks) - min(self.peaks)) / self.measured

    @property
    def errors(self) -> tuple[float, float]:
        """Against what was measured, and against what was held."""
        return self.ours / self.measured - 1, self.ours / self.held - 1

    @property
    def are_inside(self) -> tuple[bool, bool]:
        low, high = self.interval[0] * (1 - TOLERANCE), self.interval[1] * (1 + TOLERANCE)
        return low <= self.measured <= high, low <= self.held <= high

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
    print("| model | batch | measured (spread) | held | ours (interval) | error | to held ", end="")
    print("| inside | held inside | activations dominate | Grappler | its error |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    points: list[Point] = []
    for name, one in subjects:
        for batch in MODELS[name].batches:
            points += row(one, batch, runs) if one is not None else missing(name, batch)
    if points:
        print("", *summary(points), sep="\n")


def missing(name: str, batch: int, reason: str = "no file") -> tuple[Point, ...]:
    print(f"| {name} | {batch} | not measured: {reason} | | | | | | | | | |", flush=True)
    return ()


def row(one: Subject, batch: int, runs: int) -> tuple[Point, ...]:
    """Prints the row of a point, and gives it where it could be measured."""
    found = one.asked("measured", batch, runs)
    if "failed" in found:
        return missing(one.name, batch, found["failed"])
    say(f"{', '.join(f'{peak:,}' for peak in found['peaks'])} bytes")
    point = estimated(one, batch, found)
    theirs = one.asked("grappler", batch, 1)
    error, to_held = point.errors
    inside, held_inside = map(yes, point.are_inside)
    low, high = point.interval
    print(
        f"| {one.name} | {batch} | {point.measured:,} ({point.spread:.1%}) | {point.held:,} "
        f"| {point.ours:,} ({low:,} to {high:,}) | {error:+.2%} | {to_held:+.2%} "
        f"| {inside} | {held_inside} | {'yes' if point.is_activations else 'no'} "
        f"| {of_grappler(theirs, point)} |",
        flush=True,
    )
    return (point,)


def estimated(one: Subject, batch: int, found: dict) -> Point:
    profile, model = one.profile(), one.model
    answer = profile.memory(batch=batch, mode=model.mode, feeds=model.feeds).to_dict()["data"]
    device = answer["devices"][CPU]
    low, high = device["interval"]
    return Point(
        peaks=found["peaks"],
        held=median_low(found["held"]),
        ours=device["peak_bytes"],
        interval=(low, high),
        persistent=device["persistent_bytes"],
        trained=profile.summary().to_dict()["data"]["params"]["trainable"] * BYTES_EACH,
    )


def of_grappler(found: dict, point: Point) -> str:
    if "failed" in found:
        return f"failed: {found['failed']} | "
    error = found["peak"] / (point.measured + point.persistent) - 1
    return f"{found['peak']:,} | {error:+.1%}"


def summary(points: list[Point]) -> Iterator[str]:
    yield f"{len(points)} points, against what was measured and against what was held:"
    for place, what in enumerate(("measured", "held")):
        errors = [abs(point.errors[place]) for point in points]
        active = [abs(point.errors[place]) for point in points if point.is_activations]
        close = sum(error <= GOAL for error in active)
        outside = sum(not point.are_inside[place] for point in points)
        yield (
            f"- {what}: error {median(errors):.2%} in the median, {max(errors):.1%} at most; "
            f"where activations dominate {close} of {len(active)} within {GOAL:.0%}; "
            f"{outside} outside the interval"
        )


def yes(is_so: bool) -> str:  # noqa: FBT001
    return "yes" if is_so else "NO"


def fits(subjects: list[tuple[str, Subject | None]], runs: int) -> None:
    print("| model | bytes | largest batch | measured, with variables and inputs | fits ", end="")
    print("| next batch | measured, with variables and inputs | is too much |")
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
        held = total + persistent + fed(one, size)
        is_so = (held <= budget) == should_fit
        cells.append(f"{held:,} | {yes(is_so)}")
        yield is_so
    print(
        f"| {one.name} | {budget:,} | {batch} | {cells[0]} | {following} | {cells[1]} |", flush=True
    )


def fed(one: Subject, batch: int) -> int:
    """Bytes of the inputs: whoever runs a step holds them, and no op allocates them."""
    model = one.model
    answer = one.profile().memory(batch=max(1, batch), mode=model.mode, feeds=model.feeds)
    found: int = answer.to_dict()["data"]["devices"][CPU]["input_bytes"]
    return found if batch else 0


def transient(one: Subject, batch: int, runs: int) -> int | None:
    found = one.asked("measured", batch, runs)
    return None if "failed" in found else median_low(found["peaks"])


if __name__ == "__main__":
    main()
