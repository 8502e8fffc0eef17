"""Columns of numbers as sets, against numpy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.wire.distinct import alike, are_among, distinct, numbered, with_first, without

COLUMNS = [[], [3], [1, 2, 5], [4, 4, 4], [3, -1, 3, 2, -1, 9], list(range(50, 0, -1)) * 2]


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_as_numpy(column, kind):
    values = np.array(column, kind)
    every, first, which = np.unique(values, return_index=True, return_inverse=True)
    assert distinct(values).tolist() == every.tolist()
    for found, others, expected in ((*with_first(values), first), (*numbered(values), which)):
        assert found.tolist() == every.tolist()
        assert found.dtype == values.dtype
        assert others.tolist() == expected.tolist()


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("others", COLUMNS)
def test_of_two_as_numpy(column, others):
    values, known = np.array(column, np.int64), np.array(others, np.int64)
    assert without(values, known).tolist() == np.setdiff1d(values, known).tolist()
    assert are_among(values, known).tolist() == np.isin(values, known).tolist()


@given(st.lists(st.tuples(st.integers(-2, 2), st.booleans(), st.integers(-(1 << 62), 1 << 62))))
def test_rows_are_like_the_one_that_stands_for_them(rows):
    columns = [
        np.array([row[at] for row in rows], kind) for at, kind in enumerate((int, bool, int))
    ]
    ones, which = alike(columns)
    assert [rows[ones[one]] for one in which] == rows
    assert len({rows[one] for one in ones}) == len(ones)
