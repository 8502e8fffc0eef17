"""Whether steps take longer than they may, beyond what chance explains: the rule of `noise`.

The interval of the change is the one that a comparison shows; over the limit is what lies above it
whole, and what the steps themselves agree with. There is one question, asked beforehand: nothing
is corrected for asking many, and the limit says what matters.
"""

from __future__ import annotations

import math
from typing import Final

from tfprof.analyses.comparison.noise import (
    RUN_NOISE,
    Pairs,
    Samples,
    spreads,
    steps_agree,
    too_short,
)
from tfprof.frozen_dataclass import frozen_dataclass

_MOST_NEEDED: Final = 1_000
_FEWEST_RUNS: Final = 3
_ROUNDING: Final = 1e-9


@frozen_dataclass
class Excess:
    """Changes are shares of what it was; the interval holds 95 times of 100.

    `exceeds` is None where nothing can be said: `reason` says why, or about `needed` runs a side
    would tell.
    """

    exceeds: bool | None = None
    change: float = 0.0
    low: float = 0.0
    high: float = 0.0
    needed: int = _FEWEST_RUNS
    reason: str = ""


def excess(rows: Pairs, whole: str, allowed: float, run_noise: float = RUN_NOISE) -> Excess:
    """Whether steps, which one row is about, grew by more than `allowed`, a share: 0.05."""
    one, other = rows[whole]
    if not one.level > 0:
        return Excess(None, reason="the baseline took no time")
    short = too_short(rows)
    if short:
        return Excess(None, reason=short)
    wide = spreads(rows, run_noise, whole)[whole].reach / one.level
    change = other.level / one.level - 1
    low, high = change - wide, change + wide
    beyond = change - allowed
    if beyond <= _ROUNDING:
        return Excess(exceeds=False, change=change, low=low, high=high)
    limit = Samples([run * (1 + allowed) for run in one.runs])
    if wide < beyond and steps_agree(limit, other):
        return Excess(exceeds=True, change=change, low=low, high=high)
    runs = min(len(one.runs), len(other.runs))
    return Excess(None, change, low, high, _needed(runs, wide / beyond))


def _needed(runs: int, factor: float) -> int:
    """An interval becomes narrower with the root of how many runs there are."""
    wanted = runs * min(factor, _MOST_NEEDED) ** 2
    return int(min(_MOST_NEEDED, max(_FEWEST_RUNS, runs + 1, math.ceil(wanted))))
