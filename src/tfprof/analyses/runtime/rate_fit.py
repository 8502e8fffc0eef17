"""Rates from ops that ran: a fixed time, and time for each FLOP and each byte."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.calibration import OpRate

Floats = npt.NDArray[np.float64]

# no two runs of an op are alike: nothing is known better than so
_LEAST_SPREAD = 0.1
# rates from one op alone, or from a few, are sure to so much less
_FEW = 0.5
# an op may be so many times slower or faster than its family; the rest is its fixed time
_MOST_SCALED = 3.0


@frozen_dataclass
class Point:
    """A node that ran so many times, each time with this work."""

    op: str
    family: str
    flops: float
    moved: float
    micros: float
    count: int


def fitted(points: Sequence[Point], like: OpRate | None = None) -> OpRate:
    """Least squares of what is left, by the time of each: long ops count more, none all.

    `like` has the proportions that are kept, where there is too little for rates of its own.
    """
    took = np.array([max(point.micros, 1e-6) for point in points])
    count = np.array([float(point.count) for point in points])
    if like is None:
        rate = _least_squares(points, took, count)
    else:
        rate = _scaled(like, points, took, count)
    fixed, of_flops, of_bytes = (float(one) for one in rate)
    return OpRate(fixed, of_flops, of_bytes, _spread(points, rate, took * count))


def _least_squares(points: Sequence[Point], took: Floats, count: Floats) -> Floats:
    """With no negative rate: of all choices of rates the one that leaves least."""
    columns = np.array([[1.0, point.flops, point.moved] for point in points])
    scale = np.maximum(columns.max(axis=0), 1.0)
    weight = np.sqrt(count / took)
    matrix, target = columns / scale * weight[:, None], took * weight
    best, least = np.zeros(3), np.inf
    for size in (1, 2, 3):
        for chosen in combinations(range(3), size):
            found, *_ = np.linalg.lstsq(matrix[:, chosen], target, rcond=None)
            left = float(np.square(matrix[:, chosen] @ found - target).sum())
            if (found >= 0).all() and left < least * (1 - 1e-9):
                best, least = np.zeros(3), left
                best[list(chosen)] = found
    rates: Floats = best / scale
    return rates


def _scaled(like: OpRate, points: Sequence[Point], took: Floats, count: Floats) -> Floats:
    """As slow or as fast as the points, within reason: small ops say little of large ones."""
    before = np.array([like.micros(point.flops, point.moved) for point in points])
    ratio = float(took @ count) / max(float(before @ count), 1e-9)
    kept = min(max(ratio, 1 / _MOST_SCALED), _MOST_SCALED)
    more = float((took - before * kept) @ count) / float(count.sum())
    rate: Floats = np.array([like.fixed_us, like.us_per_flop, like.us_per_byte]) * kept
    rate[0] += max(more, 0.0)
    return rate


def _spread(points: Sequence[Point], rate: Floats, weight: Floats) -> float:
    """The typical distance of an op from the fit, by its part of the time."""
    said = np.array([[1.0, point.flops, point.moved] for point in points]) @ rate
    took = np.array([max(point.micros, 1e-6) for point in points])
    off = np.log(np.maximum(said, 1e-9) / took)
    seen = float(np.sqrt(np.average(np.square(off), weights=weight)))
    few = _FEW / len(points)
    return max(seen, _LEAST_SPREAD) + few
