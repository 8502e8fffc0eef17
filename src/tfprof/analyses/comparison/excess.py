"""Whether steps take longer than they may, beyond what chance explains.

Steps follow each other: a slow one is rarely alone. So the interval of the change comes from
resampling blocks of steps, and the rank test counts a block as one sample. Both have to agree.
What differs from run to run is in neither: a run alone does not tell it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tfprof.analyses.comparison.noise import (
    ALPHA,
    LEAST_STEPS,
    Floats,
    block_length,
    rank_deviation,
    resampled_medians,
)

_MOST_NEEDED: Final = 10_000
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Excess:
    """Changes are shares of the median before; the interval holds 95 times of 100.

    `exceeds` is None where the steps do not tell; then about `needed` of them would.
    """

    exceeds: bool | None
    change: float = 0.0
    low: float = 0.0
    high: float = 0.0
    p: float = 1.0
    needed: int = LEAST_STEPS


def excess(before: Sequence[float], after: Sequence[float], allowed: float) -> Excess:
    """Whether the median grew by more than `allowed`, a share: 0.05."""
    one, other = np.asarray(before, np.float64), np.asarray(after, np.float64)
    fewest = min(len(one), len(other))
    if fewest < LEAST_STEPS or not np.median(one) > 0:
        return Excess(None)
    change = float(np.median(other) / np.median(one)) - 1
    ratios = _resampled(other, 1) / _resampled(one, 0) - 1
    low, high = (float(value) for value in np.quantile(ratios, [ALPHA / 2, 1 - ALPHA / 2]))
    above = rank_deviation(one * (1 + allowed), other, block_length(fewest))
    p = 0.5 * math.erfc(above / math.sqrt(2))
    if change <= allowed + _ROUNDING:
        verdict = False
    elif low > allowed and p <= ALPHA:
        verdict = True
    else:
        return Excess(None, change, low, high, p, _needed(fewest, high - low, change - allowed))
    return Excess(verdict, change, low, high, p, fewest)


def _resampled(steps: Floats, seed: int) -> Floats:
    return resampled_medians(steps, np.random.default_rng(seed))


def _needed(steps: int, wide: float, beyond: float) -> int:
    """An interval becomes narrower with the root of how many there are."""
    factor = (wide / 2 / beyond) ** 2 if beyond > 0 else math.inf
    return int(min(_MOST_NEEDED, max(steps + 1, math.ceil(steps * min(factor, _MOST_NEEDED)))))
