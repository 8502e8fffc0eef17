"""Medians are those of numpy, whatever numbers there are."""

import numpy as np
import pytest

from tfprof.model.medians import median_of, medians_of

ROWS = {
    "one": [7],
    "odd": [3, 1, 2],
    "even": [4, 1, 3, 2],
    "floats": [0.1, 0.2, 0.7, 0.4],
    "too large for a sum": [(1 << 63) - 1, (1 << 63) - 3],
    "too large for 64 bits": [1 << 70, 3, 1 << 71],
    "not a number": [1.0, np.nan, 2.0],
    "infinite": [1.0, np.inf, np.inf],
    "true or false": [True, False, True, True],
}


@pytest.mark.parametrize("name", ROWS)
def test_a_median_is_the_one_of_numpy(name):
    np.testing.assert_equal(median_of(ROWS[name]), float(np.median(ROWS[name])))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float32, np.float64])
def test_medians_along_an_axis_are_those_of_numpy(axis, kind):
    values = (np.random.default_rng(3).random((6, 9)) * 100).astype(kind)
    found = medians_of(values, axis)
    np.testing.assert_array_equal(found, np.median(values, axis))
    assert found.dtype == np.median(values, axis).dtype


def test_one_row_with_nan_does_not_touch_the_others():
    values = np.array([[1.0, np.nan, 2.0], [5.0, 4.0, 6.0]])
    np.testing.assert_array_equal(medians_of(values, 1), [np.nan, 5.0])


def test_of_nothing_there_is_none():
    assert np.isnan(median_of([]))
    assert np.isnan(medians_of(np.zeros((0, 3)), 0)).tolist() == [True] * 3
