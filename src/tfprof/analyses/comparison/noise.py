"""Whether times differ by more than chance: of two sides, each with one run or several of steps.

Steps of a run follow each other and share its luck: they are no independent samples. What is
independent are runs. So the variance is that between the medians of runs, which few runs tell
badly: each row borrows from all rows. Where there is one run a side, the noise between runs is
not known, and a stated one is taken. The steps themselves have to agree: a rank test, and an
interval by resampling runs and blocks of steps. A change also has to matter, and one in twenty of
all that are called so may be none (false discovery rate).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tfprof.analyses.comparison.student import quantile, two_sided
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import units
from tfprof.model.medians import median_of, medians_of

Floats = npt.NDArray[np.float64]

# a run alone says nothing about how far another one would be off: by so much, one of three is
RUN_NOISE = 0.10
# fewer steps of a run have no median worth the name
LEAST_STEPS = 5
# what is less than this of the row, and of the step, is no change that anybody would look for
LEAST_OF_ROW, LEAST_OF_STEP = 0.03, 0.01
ALPHA = 0.05
LEAST_FREEDOM = 2
# the weight of the noise that all rows have, in runs
_BORROWED = 4
_RESAMPLED = 400


@frozen_dataclass
class Samples:
    """Of one row: the values of the steps of each run."""

    runs: Sequence[Floats]

    @property
    def medians(self) -> Floats:
        return np.array([median_of(run) for run in self.runs])

    @property
    def level(self) -> float:
        """Odd steps do not move it; of few runs, each counts."""
        return float(self.medians.mean())


@frozen_dataclass
class Judged:
    """The middle of either side, and the interval of the difference, 95 times of 100.

    `p` is None where nothing can be said, `reason` then says why.
    """

    before: float
    after: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    significant: bool = False
    reason: str = ""

    @property
    def change(self) -> float:
        return self.after - self.before


# of one table: a row's name to its samples on both sides
Pairs = Mapping[str, tuple[Samples, Samples]]


def judged(
    rows: Pairs, step: float, run_noise: float = RUN_NOISE, whole: str = ""
) -> dict[str, Judged]:
    """All rows of a table together; `step` is what a step took before, `whole` its row."""
    short = too_short(rows)
    if short:
        return {
            name: Judged(one.level, other.level, reason=short)
            for name, (one, other) in rows.items()
        }
    by_chance = spreads(rows, run_noise, whole)
    found: dict[str, Judged] = {}
    for name, (one, other) in rows.items():
        found[name] = _within(one.level, other.level, by_chance[name])
    # the more are tried, the harder it is for each: what is too small to matter is not tried
    tried = {n: one.p or 0.0 for n, one in found.items() if _matters(one, step)}
    passed = _discovered(tried)
    return {
        name: _with_verdict(one, rows[name], step, passed=name in passed)
        for name, one in found.items()
    }


def judged_alone(
    pair: tuple[Samples, Samples], levels: tuple[float, float], spread: Spread, alpha: float
) -> Judged:
    """One row by itself, where somebody knows its levels and how far they differ by chance."""
    found = _within(*levels, spread)
    passed = found.p is not None and found.p <= alpha
    return _with_verdict(found, pair, found.before, passed=passed)


def _within(before: float, after: float, spread: Spread) -> Judged:
    change, wide = after - before, spread.reach
    p = two_sided(change / spread.size, spread.freedom) if spread.size else float(not change)
    return Judged(before, after, change - wide, change + wide, p)


def too_short(rows: Pairs) -> str:
    """Why nothing can be said; nothing if something can."""
    fewest = min((len(run) for pair in rows.values() for side in pair for run in side.runs),
                 default=LEAST_STEPS)  # fmt: skip
    if fewest >= LEAST_STEPS:
        return ""
    return f"too few samples: a run has {units.plural(fewest, 'step')}, {LEAST_STEPS} are needed"


@frozen_dataclass
class Spread:
    """How far the sides of a row differ by chance, and the degrees of freedom of that."""

    size: float
    freedom: float

    @property
    def reach(self) -> float:
        """What the change lies within, on either side, 95 times of 100."""
        return _quantile(ALPHA, self.freedom) * self.size if self.size else 0.0


_quantile = lru_cache(maxsize=64)(quantile)


def spreads(rows: Pairs, run_noise: float, whole: str = "") -> dict[str, Spread]:
    """The `whole` borrows nothing: the luck of a run is in all of its parts."""
    variance, freedom = _variances(rows, run_noise)
    found = {}
    for name, (one, other) in rows.items():
        runs = len(one.runs), len(other.runs)
        size, free = variance[name], freedom
        if name == whole and tells_noise(*runs):
            free = float(sum(runs) - 2)
            size = _between(rows[name], free)
        found[name] = Spread(math.sqrt(size * (1 / runs[0] + 1 / runs[1])), free)
    return found


def _between(pair: tuple[Samples, Samples], freedom: float) -> float:
    """The variance between the medians of runs of one side."""
    squares = (np.square(side.medians - side.medians.mean()).sum() for side in pair)
    return float(sum(squares)) / freedom


def tells_noise(before: int, after: int) -> bool:
    """Whether so many runs a side tell how far runs differ: one side with three can, for both."""
    return before + after - 2 >= LEAST_FREEDOM


def _variances(rows: Pairs, run_noise: float) -> tuple[dict[str, float], float]:
    """Between the medians of runs, by row, and how many degrees of freedom that has."""
    first = next(iter(rows.values()), None)
    counts = (1, 1) if first is None else (len(first[0].runs), len(first[1].runs))
    levels = {name: max(one.level, other.level) for name, (one, other) in rows.items()}
    if not tells_noise(*counts):
        within = {name: _of_steps(pair) for name, pair in rows.items()}
        noise = {name: (run_noise * levels[name]) ** 2 + within[name] for name in rows}
        return noise, math.inf
    freedom = sum(counts) - 2
    own = {name: _between(pair, freedom) for name, pair in rows.items()}
    shares = [own[name] / levels[name] ** 2 for name in rows if levels[name]]
    usual = median_of(shares) if shares else 0.0
    return {
        name: (_BORROWED * usual * levels[name] ** 2 + freedom * own[name]) / (_BORROWED + freedom)
        for name in rows
    }, float(_BORROWED + freedom)


def _of_steps(pair: tuple[Samples, Samples]) -> float:
    """The variance of a median of steps, of the worse side."""
    return max(float(_resampled(side).var()) for side in pair)


def _with_verdict(
    one: Judged, pair: tuple[Samples, Samples], step: float, *, passed: bool
) -> Judged:
    least = max(LEAST_OF_ROW * max(one.before, one.after), LEAST_OF_STEP * step)
    sure = passed and abs(one.change) >= least and steps_agree(*pair)
    return Judged(one.before, one.after, one.low, one.high, one.p, sure)


def steps_agree(before: Samples, after: Samples) -> bool:
    """Whether the steps themselves tell the sides apart: their ranks, and other blocks of them."""
    if not _ranks_differ(before, after):
        return False
    low, high = np.quantile(_resampled(after) - _resampled(before, 1), [ALPHA / 2, 1 - ALPHA / 2])
    return bool(low > 0 or high < 0)


def _matters(one: Judged, step: float) -> bool:
    return max(one.before, one.after) >= LEAST_OF_STEP * step


def _discovered(p: Mapping[str, float]) -> set[str]:
    """Those that may be called changes, with one in twenty of them wrong (Benjamini, Hochberg)."""
    ranked = sorted(p, key=p.__getitem__)
    last = max(
        (at for at, name in enumerate(ranked, 1) if p[name] <= ALPHA * at / len(ranked)), default=0
    )
    return set(ranked[:last])


def block_length(steps: int) -> int:
    """How many steps in a row are taken for one sample."""
    return max(1, round(math.cbrt(steps)))


def _resampled(side: Samples, seed: int = 0) -> Floats:
    """Middles of the side as they could have come out: other runs, other blocks of their steps."""
    random = np.random.default_rng(seed)
    medians = np.stack([resampled_medians(run, random) for run in side.runs])
    runs = len(side.runs)
    picked = random.integers(0, runs, (runs, _RESAMPLED))
    found: Floats = np.take_along_axis(medians, picked, 0).mean(0)
    return found


def resampled_medians(run: Floats, random: np.random.Generator) -> Floats:
    """Medians of a run as they could have come out, with other blocks of its steps."""
    length = block_length(len(run))
    blocks = -(-len(run) // length)
    begins = random.integers(0, len(run) - length + 1, (_RESAMPLED, blocks))
    steps = (begins[:, :, None] + np.arange(length)).reshape(_RESAMPLED, -1)[:, : len(run)]
    found: Floats = medians_of(run[steps], 1)
    return found


def _ranks_differ(before: Samples, after: Samples) -> bool:
    """Mann and Whitney's test over all steps, each block of them counted as one.

    Where no step of a side reaches the other side there is nothing to doubt: of five steps the
    blocks are too few for the test to say so.
    """
    one, other = np.concatenate(list(before.runs)), np.concatenate(list(after.runs))
    if one.max() < other.min() or other.max() < one.min():
        return True
    block = block_length(min(len(run) for side in (before, after) for run in side.runs))
    return two_sided(rank_deviation(one, other, block), math.inf) <= ALPHA


def rank_deviation(one: Floats, other: Floats, block: int) -> float:
    """How far the others rank above what chance does, in its standard deviations."""
    both = np.concatenate([one, other])
    _, place, often = np.unique(both, return_inverse=True, return_counts=True)
    last = np.cumsum(often)
    rank = (last - (often - 1) / 2)[place]
    n, m, total = len(one), len(other), len(both)
    u = rank[:n].sum() - n * (n + 1) / 2
    ties = float((often.astype(float) ** 3 - often).sum()) / (total * (total - 1))
    variance = n * m / 12 * (total + 1 - ties)
    return float(n * m / 2 - u) / math.sqrt(variance * block) if variance > 0 else 0.0
