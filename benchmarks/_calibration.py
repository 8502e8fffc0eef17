"""Margins that runs of some models ask for, and how many of all runs they have to be asked of.

A margin is what nearly all runs of other models are within: which share is nearly all is chosen so
that each of those others, left out, has 95 % of its runs inside. Whoever is judged by the margin
has no say in either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tfprof.analyses.memory.interval import Doubt, Margin

INSIDE = 0.95
# shares of the runs at either end, the least that is enough is taken
SHARES = tuple(round(0.95 + 0.0025 * step, 4) for step in range(20))


class Measured(Protocol):
    """A step that was run."""

    @property
    def model(self) -> str: ...
    @property
    def doubt(self) -> Doubt: ...
    @property
    def needed(self) -> list[Margin]: ...


@dataclass(frozen=True)
class _Side:
    """What runs need below or above, the least first; each step weighs as much as another."""

    needed: np.ndarray
    weights: np.ndarray
    models: np.ndarray

    def within(self, share: float, without: Sequence[int]) -> float:
        """What so many are within; 0 where none is needed."""
        weights = np.where(np.isin(self.models, without), 0.0, self.weights)
        reached = np.cumsum(weights)
        if not len(reached) or not reached[-1]:
            return 0.0
        place = int(np.searchsorted(reached, share * reached[-1] - 1e-9))
        return max(0.0, float(self.needed[min(place, len(self.needed) - 1)]))


class Calibration:
    """Of steps that were run: the margins that they ask for, without those of some models."""

    def __init__(self, points: Iterable[Measured]) -> None:
        self._points = list(points)
        names = sorted({one.model for one in self._points})
        self._numbers = {name: number for number, name in enumerate(names)}
        self._sides = {
            doubt: (self._side(doubt, "below"), self._side(doubt, "above")) for doubt in Doubt
        }

    def _side(self, doubt: Doubt, name: str) -> _Side:
        rows = sorted(
            (getattr(margin, name), 1 / len(needed), self._numbers[one.model])
            for one in self._points
            if one.doubt == doubt
            for needed in [one.needed]
            for margin in needed
        )
        columns = list(zip(*rows, strict=True)) or [(), (), ()]
        return _Side(*(np.array(column) for column in columns))

    def margin(self, doubt: Doubt, share: float, *without: str) -> Margin:
        left_out = [self._numbers[name] for name in without if name in self._numbers]
        below, above = (side.within(share, left_out) for side in self._sides[doubt])
        return Margin(below, above)

    def share(self, *without: str) -> float:
        """The least with which each of the others, left out, has enough of its runs inside."""
        low, high = 0, len(SHARES) - 1
        while low < high:
            middle = (low + high) // 2
            if self._inside(SHARES[middle], without) >= INSIDE:
                high = middle
            else:
                low = middle + 1
        return SHARES[low]

    def _inside(self, share: float, without: Sequence[str]) -> float:
        margins: dict[tuple[Doubt, str], Margin] = {}
        held = []
        for one in self._points:
            if one.model in without:
                continue
            key = one.doubt, one.model
            if key not in margins:
                margins[key] = self.margin(one.doubt, share, one.model, *without)
            margin = margins[key]
            inside = [
                need.below <= margin.below and need.above <= margin.above for need in one.needed
            ]
            held.append(sum(inside) / len(inside))
        return sum(held) / len(held) if held else 0.0
