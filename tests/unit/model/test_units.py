"""Numbers along an axis."""

import pytest

from tfprof.model import units


@pytest.mark.parametrize(
    ("value", "step"), [(0, 1), (0.3, 1), (1, 1), (1.1, 2), (2.5, 5), (5, 5), (7, 10), (120, 200)]
)
def test_steps_are_round(value, step):
    assert units.round_step(value) == step


@pytest.mark.parametrize("power", range(19))
def test_a_power_of_ten_is_its_own_step(power):
    assert units.round_step(10**power) == 10**power


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([0, 1], ["0", "1 B"]),
        ([0, 500, 1000], ["0", "0.5 KB", "1 KB"]),
        ([0, 2e9, 4e9], ["0", "2 GB", "4 GB"]),
        ([0, 1e18], ["0", "1,000,000 TB"]),
        ([], []),
    ],
)
def test_sizes_along_an_axis_have_one_unit(values, written):
    assert units.axis_sizes(values) == written
