"""Which rows are alike in several columns of small numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.wire.distinct import numbered

Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]

# so many rows at a time: what is in between takes as much memory as the columns themselves
_BLOCK = 1 << 18
# pairs of numbers are told apart by a table rather than by sorting where there can be no more
_TABLE = 1 << 24


def joint_codes(columns: Sequence[npt.NDArray[np.integer[Any]]]) -> tuple[Codes, Ints]:
    """A number for each row, and the first row of each number; they rise with the columns."""
    count = len(columns[0])
    if not count:
        return np.zeros(0, np.int32), np.zeros(0, np.int64)
    code, distinct = np.zeros(count, np.int32), 1
    for column in columns:
        code, distinct = _with(code, distinct, column)
    first = np.zeros(distinct, np.int64)
    # backwards, so that the first row is written last
    for begin in reversed(range(0, count, _BLOCK)):
        some = code[begin : begin + _BLOCK]
        first[some[::-1]] = np.arange(begin + len(some) - 1, begin - 1, -1)
    return code, first


def _with(code: Codes, distinct: int, column: npt.NDArray[np.integer[Any]]) -> tuple[Codes, int]:
    wide = int(column.max(initial=0)) + 1
    if distinct * wide > _TABLE:
        found, where = numbered(code * np.int64(wide) + column)
        return where.astype(np.int32), len(found)
    blocks = [slice(begin, begin + _BLOCK) for begin in range(0, len(code), _BLOCK)]
    seen = np.zeros(distinct * wide, bool)
    for block in blocks:
        seen[code[block] * np.int64(wide) + column[block]] = True
    place = (np.cumsum(seen) - 1).astype(np.int32)
    made = np.empty(len(code), np.int32)
    for block in blocks:
        made[block] = place[code[block] * np.int64(wide) + column[block]]
    return made, int(place[-1]) + 1
