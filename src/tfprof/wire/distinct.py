"""Columns of numbers as sets. What numpy has for it loads its masked arrays, and always sorts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", bound=np.integer)
Places = npt.NDArray[np.int64]

# any odd number of many bits
_FACTOR = np.uint64(0x9E37_79B9_7F4A_7C15)


def distinct(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Each number once, the least first."""
    if (values[1:] > values[:-1]).all():  # as the rows of some events are
        return values
    rising = np.sort(values)
    return rising[_is_new(rising)]


def with_first(values: npt.NDArray[Number]) -> tuple[npt.NDArray[Number], Places]:
    """The same, and where each stands first."""
    order = np.argsort(values, kind="stable")
    rising = values[order]
    is_new = _is_new(rising)
    return rising[is_new], order[is_new]


def numbered(values: npt.NDArray[Number]) -> tuple[npt.NDArray[Number], Places]:
    """The same, and which of them each value is."""
    order = np.argsort(values, kind="stable")
    rising = values[order]
    is_new = _is_new(rising)
    which = np.empty(len(values), np.int64)
    which[order] = np.cumsum(is_new) - 1
    return rising[is_new], which


def alike(columns: Sequence[npt.NDArray[np.generic]]) -> tuple[Places, Places]:
    """Of rows that are alike in all columns one each, and which of them each row is like.

    Rows that are alike are brought together by a hash, and then compared: where another one gets
    in between, there is one more.
    """
    key = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        key ^= key >> np.uint64(29)
        key *= _FACTOR
        key += column.astype(np.uint64)
    order = np.argsort(key)
    is_new = np.zeros(len(order), bool)
    is_new[:1] = True
    for column in columns:
        beside = column[order]
        is_new[1:] |= beside[1:] != beside[:-1]
    which = np.empty(len(order), np.int64)
    which[order] = np.cumsum(is_new) - 1
    return order[is_new], which


def _is_new(rising: npt.NDArray[Number]) -> npt.NDArray[np.bool_]:
    found = np.ones(len(rising), bool)
    found[1:] = rising[1:] != rising[:-1]
    return found


def without(values: npt.NDArray[Number], others: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The same of those that are not among the others."""
    left = distinct(values)
    found: npt.NDArray[Number] = left[~are_among(left, others)]
    return found


def are_among(values: npt.NDArray[Number], others: npt.NDArray[Number]) -> npt.NDArray[np.bool_]:
    """Of each whether it is one of the others."""
    known = distinct(others)
    if not len(known):
        return np.zeros(len(values), bool)
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    found: npt.NDArray[np.bool_] = known[place] == values
    return found
