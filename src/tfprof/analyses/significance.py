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
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# fewer steps have no median worth the name
LEAST_STEPS: Final = 8
_ALPHA: Final = 0.05
_RESAMPLED: Final = 1_000
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
    low, high = (float(value) for value in np.quantile(ratios, [_ALPHA / 2, 1 - _ALPHA / 2]))
    p = larger_by_rank(one * (1 + allowed), other)
    if change <= allowed + _ROUNDING:
        verdict = False
    elif low > allowed and p <= _ALPHA:
        verdict = True
    else:
        return Excess(None, change, low, high, p, _needed(fewest, high - low, change - allowed))
    return Excess(verdict, change, low, high, p, fewest)


def larger_by_rank(one: Floats, other: Floats) -> float:
    """How likely it is by chance that the others rank so high: Mann and Whitney's test."""
    both = np.concatenate([one, other])
    _, place, often = np.unique(both, return_inverse=True, return_counts=True)
    rank = (np.cumsum(often) - (often - 1) / 2)[place]
    n, m, total = len(one), len(other), len(both)
    above = n * m - (float(rank[:n].sum()) - n * (n + 1) / 2)
    ties = float((often.astype(np.float64) ** 3 - often).sum()) / (total * (total - 1))
    variance = n * m / 12 * (total + 1 - ties) * block_length(min(n, m))
    if variance <= 0:
        return 1.0
    return 0.5 * math.erfc((above - n * m / 2) / math.sqrt(2 * variance))


def block_length(steps: int) -> int:
    """How many steps in a row are taken for one sample."""
    return max(1, round(math.cbrt(steps)))


def _resampled(steps: Floats, seed: int) -> Floats:
    """Medians as they could have come out, with other blocks of the same steps."""
    random, length = np.random.default_rng(seed), block_length(len(steps))
    blocks = -(-len(steps) // length)
    begins = random.integers(0, len(steps) - length + 1, (_RESAMPLED, blocks))
    picked = (begins[:, :, None] + np.arange(length)).reshape(_RESAMPLED, -1)[:, : len(steps)]
    found: Floats = np.median(steps[picked], 1)
    return found


def _needed(steps: int, wide: float, beyond: float) -> int:
    """An interval becomes narrower with the root of how many there are."""
    factor = (wide / 2 / beyond) ** 2 if beyond > 0 else math.inf
    return int(min(_MOST_NEEDED, max(steps + 1, math.ceil(steps * min(factor, _MOST_NEEDED)))))
