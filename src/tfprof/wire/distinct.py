"""Columns of numbers as sets. What numpy has for it loads its masked arrays, and always sorts."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", bound=np.integer)


def distinct(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Each number once, the least first."""
    if (values[1:] > values[:-1]).all():  # as the rows of some events are
        return values
    rising = np.sort(values)
    found: npt.NDArray[Number] = rising[np.append(True, rising[1:] != rising[:-1])]
    return found


def without(values: npt.NDArray[Number], others: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The same of those that are not among the others."""
    left, right = distinct(values), distinct(others)
    if not len(right):
        return left
    place = np.minimum(np.searchsorted(right, left), len(right) - 1)
    found: npt.NDArray[Number] = left[right[place] != left]
    return found
