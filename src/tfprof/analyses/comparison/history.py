"""Runs of the same work in the order of time: which of them took longer than those before.

Each is compared with the runs since the last change. How far runs differ by chance is what they
differed by on this level and on the one before; where these are too few to tell, a noise is stated,
as in `noise`, whose rule this is. A run that is a change begins a new level, unless the next one is
as before: then it was an odd one, and belongs to no level.

A history asks at every run. So the more were compared before, the surer a change has to be: 5 in
100 may be called so by chance at first, 3 in 1,000 later, which is what control charts take.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tfprof.analyses.comparison.noise import (
    ALPHA,
    LEAST_FREEDOM,
    LEAST_STEPS,
    RUN_NOISE,
    Floats,
    Judged,
    Samples,
    Spread,
    judged,
    judged_alone,
)
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import units
from tfprof.model.medians import median_of

# more runs tell no more about noise, and what drifts should not be compared with last year's
MOST_EARLIER = 20
# as for one question as long as there are few; three standard deviations in the end
_FEW, _SUREST = 5, 0.0027
# of an odd run, in reaches of an interval: where it begins to be one
_FURTHEST, _MOST_ODD = 1.5, 5
_STEP = "step"


@frozen_dataclass
class Compared:
    """`with_` are the runs before that it was compared with; none for the first of its kind.

    `alpha` is how likely a run that did not change is called a change.

    `is_stated`: they were too few to tell how far runs differ.
    """

    judged: Judged | None = None
    with_: tuple[int, ...] = ()
    reason: str = ""
    is_stated: bool = False
    alpha: float = 0.0

    @property
    def is_change(self) -> bool:
        return self.judged is not None and self.judged.significant

    @property
    def distance(self) -> float:
        return math.inf if self.judged is None else abs(self.judged.change)


def compared(runs: Sequence[Floats], run_noise: float = RUN_NOISE) -> list[Compared]:
    """Of each run the periods of its steps, the oldest run first."""
    found: list[Compared] = []
    told = _Told(runs, np.array([median_of(run) if len(run) else 0.0 for run in runs]))
    level: list[int] = []  # the runs since the last change
    before: list[int] = []  # those before it
    odd: list[float] = []  # how far odd runs were off this level
    asked = 0
    for at, run in enumerate(runs):
        if len(run) < LEAST_STEPS:
            found.append(Compared(reason=_too_short(len(run))))
            continue
        chance = _Chance.of(
            [told.medians[before], told.medians[level]], odd[-_MOST_ODD:], run_noise
        )
        alpha = max(_SUREST, ALPHA * min(1.0, _FEW / max(1, asked)))
        one = _against(told, level, at, chance, alpha)
        asked += one.judged is not None
        is_new = len(level) == 1 and bool(before)
        back = _against(told, before, at, chance, alpha) if is_new else Compared()
        if is_new and not back.is_change and back.distance < one.distance:
            odd.append(_off(found[level[0]]))
            one, before, level = back, [], [*before, at]
        elif one.is_change:
            before, level = before if is_new else level, [at]
        else:
            level = [*level, at]
        found.append(one)
        level = level[-MOST_EARLIER:]
    return found


@frozen_dataclass
class _Told:
    """The runs, and the median of each: asked for often, so worked out once."""

    runs: Sequence[Floats]
    medians: Floats


@frozen_dataclass
class _Chance:
    """How far runs of a level differ, as a share of it: squared, with its degrees of freedom."""

    variance: float
    freedom: int
    stated: float

    @classmethod
    def of(cls, levels: Sequence[Floats], odd: Sequence[float], stated: float) -> _Chance:
        """Who leaves out all odd runs takes the rest for more alike than they are."""
        squares, freedom = sum(one * one for one in odd), len(odd)
        for medians in levels:
            middle = float(medians.mean()) if len(medians) else 0.0
            if middle > 0:
                squares += float(np.square(medians / middle - 1).sum())
                freedom += len(medians) - 1
        return cls(squares / freedom if freedom else 0.0, freedom, stated)


def _off(odd: Compared) -> float:
    """How far an odd run was off, as a share, but no further than chance may explain."""
    told = odd.judged
    if told is None or told.low is None or told.high is None or not told.before:
        return 0.0
    return min(abs(told.change), _FURTHEST * (told.high - told.low) / 2) / told.before


def _against(
    told: _Told, earlier: Sequence[int], at: int, chance: _Chance, alpha: float
) -> Compared:
    if not earlier:
        return Compared()
    pair = Samples([told.runs[one] for one in earlier]), Samples([told.runs[at]])
    levels = float(told.medians[[*earlier]].mean()), float(told.medians[at])
    if chance.freedom < LEAST_FREEDOM:
        found = judged({_STEP: pair}, levels[0], chance.stated, _STEP)[_STEP]
        return Compared(found, tuple(earlier), is_stated=True, alpha=ALPHA)
    size = levels[0] * math.sqrt(chance.variance * (1 + 1 / len(earlier)))
    found = judged_alone(pair, levels, Spread(size, chance.freedom), alpha)
    return Compared(found, tuple(earlier), alpha=alpha)


def _too_short(steps: int) -> str:
    if not steps:
        return "no steps"
    return f"too few samples: {units.plural(steps, 'step')}, {LEAST_STEPS} are needed"
