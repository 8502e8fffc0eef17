"""Whether steps are slower than they may be: what chance explains is no breach."""

import numpy as np
import pytest

from tfprof.analyses.comparison.excess import excess
from tfprof.analyses.comparison.noise import LEAST_STEPS, rank_deviation


def _steps(seed, count=60, middle=100.0, spread=5.0, memory=0.5):
    """Steps that follow each other: each has something of the one before."""
    random = np.random.default_rng(seed)
    noise, found = 0.0, []
    for value in random.normal(0, spread, count):
        noise = memory * noise + value
        found.append(middle + noise)
    return found


def test_few_steps_tell_nothing():
    few = excess([1.0] * (LEAST_STEPS - 1), [2.0] * 50, 0.05)
    assert few.exceeds is None
    assert few.needed == LEAST_STEPS
    assert excess([], [], 0.05).exceeds is None
    assert excess([0.0] * 20, [1.0] * 20, 0.05).exceeds is None


def test_the_same_steps_are_not_slower():
    found = excess(_steps(1), _steps(1), 0.05)
    assert found.exceeds is False
    assert found.change == 0


def test_much_slower_is_told():
    found = excess(_steps(1), _steps(2, middle=120.0), 0.05)
    assert found.exceeds is True
    assert found.low > 0.05
    assert found.low < found.change < found.high


def test_a_little_over_is_undecided_and_says_how_many_would_tell():
    wild = [80.0, 120.0, 95.0, 105.0, 70.0, 130.0, 98.0, 102.0, 90.0, 110.0]
    found = excess(wild, [value * 1.08 for value in wild], 0.05)
    assert found.exceeds is None
    assert found.needed > 10


def test_false_alarms_are_rare():
    """Of pairs without a difference; steps that depend on each other make them more likely."""
    alarms = sum(excess(_steps(s), _steps(1000 + s), 0.0).exceeds is True for s in range(200))
    assert alarms <= 16


def test_a_change_is_found():
    found = sum(excess(_steps(s), _steps(s + 500, middle=115), 0.05).exceeds is True
                for s in range(50))  # fmt: skip
    assert found >= 48


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_exact_steps_have_no_noise(margin):
    assert excess([10.0] * 20, [10.0 * (1 + margin)] * 20, margin).exceeds is False
    assert excess([10.0] * 20, [11.0] * 20, margin).exceeds is True


def test_ranks():
    one, other = np.arange(30.0), np.arange(30.0) + 100
    assert rank_deviation(one, other, 1) > 5
    assert rank_deviation(other, one, 1) == -rank_deviation(one, other, 1)
    assert rank_deviation(np.ones(9), np.ones(9), 1) == 0
