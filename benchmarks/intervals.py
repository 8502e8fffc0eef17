"""Whether stated intervals hold what runs took, on models that they were not fitted to.

    python benchmarks/intervals.py [--only REGEX] [--misses]

Nothing is run: the truths are those that `measure_memory.py` recorded, and for the models of
`memory.py` those that runs took before. A run on paper has ends; why real runs leave them is the
doubt of a step (`analyses/memory/interval.py`). For each model, the margin of its doubt is what
nearly all runs of the other models ask for, and how many those are is chosen among them, too
(`_calibration.py`): so the coverage is that of models nobody has seen. Beside it stand the margins
that all models ask for, and those in the code. The last models were measured after that, and none
of the margins knows of them.

Beside each width stands the noise floor: how far runs of one step on one machine are apart, the
most of them through the least. No interval that holds them can be narrower.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from _calibration import Calibration
from _memory_models import MODELS, OWN_SAMPLES, located
from wild import CPU, GOALS, TOLERANCE, Band, machine

import tfprof
from tfprof.analyses.inference.fed_batch import fed_batch
from tfprof.analyses.memory.interval import MARGINS, Doubt, Margin
from tfprof.reports.memory.asked_steps import estimator_of
from tfprof.reports.memory.query import Query
from tfprof.reports.shared.question import question_from

TESTS = Path(__file__).parents[1] / "tests"
FITTED = [TESTS / name for name in ("wild", "wild_measured", "wild_blind", "wild_unseen")]
UNSEEN = TESTS / "wild_fresh"
NEAR = GOALS["most"]
# so many runs tell how far they may be apart
MANY = 20
# what runs of the models of memory.py held, by batch
KNOWN = {
    "U-Net, inference": {1: [180_936_756]},
    "U-Net, training": {1: [2_093_226_948], 2: [2_784_404_420]},
    "U-Net with batch norm in tf.cond, training": {1: [2_856_152_068]},
    "ResNet-50 (TF1), training": {
        1: [190_535_288, 194_990_164],
        2: [270_431_864, 270_432_236],
        4: [433_426_036, 430_200_972],
        8: [749_753_976, 749_754_508],
    },
    "ResNet-50 (TF1), inference": {1: [9_637_892], 8: [77_074_436, 83_496_964]},
    "MobileNetV2 (Keras), training": {
        1: [89_531_668, 90_665_460, 91_995_052],
        8: [500_422_252, 502_275_784],
    },
    "ResNet50 (Keras), training": {
        1: [203_941_788, 207_644_820, 188_918_476],
        4: [402_447_348],
    },
    "BERT-base (Keras), training": {1: [188_314_128], 8: [1_198_829_436]},
    "MLP (Keras), training": {8: [3_233_852, 4_816_904, 3_254_284]},
}


@dataclass(frozen=True)
class Question:
    """A model at a batch, and what runs of it held."""

    model: str
    batch: int
    graph: Path
    table: Path | None
    held: list[int]
    asked: dict


@dataclass(frozen=True)
class Point:
    """What runs on paper took at the ends, and in the stated interval."""

    model: str
    batch: int
    held: list[int]
    expected: int
    doubt: Doubt
    on_paper: tuple[int, int]

    @property
    def needed(self) -> list[Margin]:
        """What would have held each of the runs."""
        low, high = self.on_paper
        return [Margin(low / one - 1 - TOLERANCE, one / high - 1 - TOLERANCE) for one in self.held]

    @property
    def noise(self) -> float:
        return max(self.held) / min(self.held)

    def within(self, margin: Margin) -> Verdict:
        low, high = margin.around(self.on_paper)
        inside = [
            low <= one * (1 + TOLERANCE) and one <= high * (1 + TOLERANCE) for one in self.held
        ]
        return Verdict(self, inside, high / max(1, low))


@dataclass(frozen=True)
class Verdict:
    point: Point
    runs: list[bool]
    width: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", metavar="REGEX", help="models whose name has it")
    parser.add_argument("--misses", action="store_true", help="list the points that are outside")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as scratch:
        fitted = [*of_files(Path(scratch)), *(one for folder in FITTED for one in of(folder))]
        known = answered(one for one in fitted if re.search(given.only, one.model))
        unseen = answered(one for one in of(UNSEEN) if re.search(given.only, one.model))
    calibration = Calibration(known)
    shares = {model: calibration.share(model) for model in {one.model for one in known}}
    verdicts = [
        one.within(calibration.margin(one.doubt, shares[one.model], one.model)) for one in known
    ]
    show("each by the margins of the other models", verdicts)
    print(f"Of their runs at either end {min(shares.values())} to {max(shares.values())} are held.")
    stated = [[one.within(MARGINS[one.doubt]) for one in points] for points in (known, unseen)]
    show("by the margins in the code", stated[0])
    show("models that no margin knows of, by the margins in the code", stated[1])
    margins(calibration)
    noise_floor([*known, *unseen])
    if given.misses:
        for verdict in (*verdicts, *stated[1]):
            if not all(verdict.runs):
                miss(verdict)


def of(folder: Path) -> Iterator[Question]:
    """With the steps that were measured once more, if they were."""
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    for name, facts in expected.items():
        (graph,) = folder.glob(f"{name}.graph.pb*")
        for batch, measured in facts["points"].items():
            if "noopt" in measured:
                asked = {"feeds": measured.get("feeds"), "dims": facts.get("dims")}
                table = folder / f"{name}_vars.json"
                held = [*measured["noopt"]["held"], *measured.get("again", {}).get("held", ())]
                yield Question(name, int(batch), graph, table, held, {**asked, **machine(facts)})


def of_files(scratch: Path) -> Iterator[Question]:
    for name, points in KNOWN.items():
        model = MODELS[name]
        path = located(model.files, OWN_SAMPLES, scratch)
        if path is None:
            continue
        tables = (path.name.removesuffix(".graph.pb") + "_vars.json",)
        table = located(tables, OWN_SAMPLES, scratch)
        for batch, held in points.items():
            asked = {"feeds": model.feeds or None, "mode": model.mode}
            yield Question(name, batch, path, table, held, asked)


def answered(questions: Iterable[Question]) -> list[Point]:
    """Steps whose sizes are not all known promise no upper end: they are left out."""
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(point_of, questions, chunksize=3))
    return [one for one in found if one is not None]


def point_of(one: Question) -> Point | None:
    data = tfprof.load(one.graph, vars=one.table).data
    asked = one.asked
    batch = {"B": one.batch}
    feeds = {
        key: tuple(batch.get(size, size) for size in shape)
        for key, shape in (asked.get("feeds") or {}).items()
    }
    question = question_from(None, asked.get("mode"), None, feeds or None, asked.get("dims"))
    estimator = estimator_of(data, Query(question, last_cache=asked.get("last_cache")))
    # a sample may be several rows of what is fed
    peak = estimator.at(fed_batch(data.graph, question.feeds) or one.batch)[CPU]
    on_paper = peak.on_paper
    if on_paper is None or estimator.first.unknown or estimator.lost:
        return None
    ends = on_paper.low, on_paper.high
    return Point(one.model, one.batch, one.held, peak.expected, on_paper.doubt, ends)


def show(what: str, verdicts: list[Verdict]) -> None:
    if not verdicts:
        return
    print(f"\n{what}\n")
    print(
        "| doubt | points | all runs inside | of the runs | high/low, median | 90 % | up to 1.3 "
        "| up to 2 | noise floor, median | 90 % |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for doubt in (*Doubt, None):
        rows = [one for one in verdicts if doubt in (None, one.point.doubt)]
        if rows:
            print(summary(doubt or "all", rows))
    off = [abs(band(one.held).distance(one.expected)) for one in (row.point for row in verdicts)]
    near = sum(one <= NEAR for one in off)
    print(f"\nWhat is expected lies {median(off):.2%} from the runs in the median, ", end="")
    print(f"{near} of {len(off)} points within {NEAR:.0%}.")


def band(held: list[int]) -> Band:
    return Band(min(held), max(held))


def summary(doubt: str, rows: list[Verdict]) -> str:
    """Of the runs: each point has the same say, however often it was run."""
    widths, noise = [one.width for one in rows], [one.point.noise for one in rows]
    runs = fmean(fmean(one.runs) for one in rows)
    whole = sum(all(one.runs) for one in rows)
    return (
        f"| {doubt} | {len(rows)} | {whole} ({whole / len(rows):.0%}) | {runs:.1%} "
        f"| {median(widths):.2f} | {of_most(widths):.2f} | {share(widths, 1.3):.0%} "
        f"| {share(widths, 2.0):.0%} | {median(noise):.2f} | {of_most(noise):.2f} |"
    )


def of_most(values: list[float]) -> float:
    """What nine of ten are below."""
    return sorted(values)[max(0, math.ceil(len(values) * 0.9) - 1)]


def share(values: list[float], limit: float) -> float:
    return sum(one <= limit for one in values) / len(values)


def margins(calibration: Calibration) -> None:
    share = calibration.share()
    print(f"\nOf all runs at either end {share} are held.\n")
    print("| doubt | all models ask for, below and above | in the code |")
    print("|---|---|---|")
    for doubt in Doubt:
        asked, stated = calibration.margin(doubt, share), MARGINS[doubt]
        print(
            f"| {doubt} | {asked.below:.3f}, {asked.above:.3f} "
            f"| {stated.below:.3f}, {stated.above:.3f} |"
        )


def noise_floor(points: list[Point]) -> None:
    """How far apart runs of one step are, of those that were run often."""
    often = [one for one in points if len(one.held) >= MANY]
    if not often:
        return
    print(f"\nThe most of all runs through the least, of what was run {MANY} times or more:\n")
    print("| batch | points | median | 90 % | above 1.3 | above 2 |")
    print("|---|---|---|---|---|---|")
    for batch in (*sorted({one.batch for one in often}), None):
        noise = [one.noise for one in often if batch in (None, one.batch)]
        print(
            f"| {batch or 'all'} | {len(noise)} | {median(noise):.2f} | {of_most(noise):.2f} "
            f"| {1 - share(noise, 1.3):.0%} | {1 - share(noise, 2.0):.0%} |"
        )


def miss(verdict: Verdict) -> None:
    point = verdict.point
    low, high = min(point.held), max(point.held)
    ends = " to ".join(f"{one:,}" for one in point.on_paper)
    print(
        f"- {point.model}, batch {point.batch} ({point.doubt}): runs held {low:,} to {high:,}, "
        f"on paper {ends}"
    )


if __name__ == "__main__":
    main()
