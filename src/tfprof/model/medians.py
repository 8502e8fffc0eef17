"""Medians as `np.median` has them, which loads `numpy.ma` when it is first asked: 7 ms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def median_of(values: npt.ArrayLike) -> float:
    """Of one row of numbers; NaN if there are none, or one of them is."""
    return float(medians_of(np.asarray(values), 0))


def medians_of(values: npt.NDArray[np.generic], axis: int) -> Floats:
    """The same along an axis of many."""
    count = values.shape[axis]
    if not count:
        return np.full(np.delete(values.shape, axis), np.nan)
    middle = [(count - 1) // 2, count // 2]
    ranked = np.partition(values, [*middle, -1], axis)
    found: Floats = ranked.take(middle, axis).mean(axis)
    if values.dtype.kind != "f":
        return found
    # NaN is the last of all
    return np.where(np.isnan(ranked.take(-1, axis)), np.nan, found)
