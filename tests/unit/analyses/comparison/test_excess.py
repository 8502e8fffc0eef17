"""Whether steps are slower than they may be: what chance explains is no breach."""

import numpy as np
import pytest

from tfprof.analyses.comparison.excess import excess
from tfprof.analyses.comparison.noise import LEAST_STEPS, Samples, judged, rank_deviation

_STEP = "step"


def _steps(random, count=30, middle=100.0, spread=5.0, memory=0.5):
    """Steps that follow each other: each has something of the one before."""
    noise, found = 0.0, []
    for value in random.normal(0, spread, count):
        noise = memory * noise + value
        found.append(middle + noise)
    return np.array(found)


def _side(seed, runs=1, middle=100.0, between=0.0):
    """Runs of one program, each with its own luck."""
    random = np.random.default_rng(seed)
    return Samples([_steps(random, middle=middle * (1 + between * random.normal()))
                    for _ in range(runs)])  # fmt: skip


def _asked(before, after, allowed, **how):
    """As a table has it: the step, and a part of it that moves with it."""
    rows = {_STEP: (before, after)}
    for share in (0.6, 0.3, 0.1):
        rows[str(share)] = tuple(Samples([run * share for run in one.runs]) for one in rows[_STEP])
    return excess(rows, _STEP, allowed, **how)


def _flat(value, count=20):
    return Samples([np.full(count, float(value))])


def test_few_steps_tell_nothing():
    few = _asked(_flat(1, LEAST_STEPS - 1), _flat(2, 50), 0.05)
    assert few.exceeds is None
    assert f"{LEAST_STEPS} are needed" in few.reason
    assert _asked(_flat(0), _flat(1), 0.05).exceeds is None


def test_the_same_steps_are_not_slower():
    found = _asked(_side(1), _side(1), 0.05)
    assert found.exceeds is False
    assert found.change == 0


def test_of_one_run_a_side_only_much_slower_is_told():
    """Runs are taken to differ by a tenth each: two of them by a quarter is chance."""
    assert _asked(_side(1), _side(2, middle=145.0), 0.05).exceeds is True
    little = _asked(_side(1), _side(2, middle=120.0), 0.05)
    assert little.exceeds is None
    assert little.needed >= 3
    assert little.low < 0.05 < little.change < little.high


def test_who_knows_how_far_runs_differ_says_so():
    before, after = _side(1), _side(2, middle=120.0)
    assert _asked(before, after, 0.05, run_noise=0.02).exceeds is True
    assert _asked(before, after, 0.25, run_noise=0.02).exceeds is False


@pytest.mark.parametrize("runs", [(3, 3), (3, 1), (5, 1), (2, 2)])
def test_repeats_tell_the_noise_and_false_alarms_are_rare(runs):
    """Of pairs without a difference, whose runs differ by 4 %: at most one in twenty."""
    tried = 200
    alarms = sum(
        _asked(
            _side(s, runs[0], between=0.04), _side(9_000 + s, runs[1], between=0.04), 0.0
        ).exceeds
        is True
        for s in range(tried)
    )
    assert alarms <= tried * 0.05


def test_three_runs_a_side_find_a_change():
    found = sum(
        _asked(_side(s, 3, between=0.02), _side(s + 500, 3, 115.0, between=0.02), 0.05).exceeds
        is True
        for s in range(50)
    )
    assert found >= 45


def test_a_comparison_and_a_budget_go_by_the_same_interval():
    before, after = _side(1, 3, between=0.02), _side(2, 3, 120.0, between=0.02)
    rows = {_STEP: (before, after)}
    one, other = judged(rows, before.level, whole=_STEP)[_STEP], excess(rows, _STEP, 0.0)
    assert other.low * before.level == pytest.approx(one.low)
    assert other.high * before.level == pytest.approx(one.high)
    assert one.significant
    assert other.exceeds


def test_what_is_as_long_as_it_may_be_is_kept():
    assert _asked(_flat(10), _flat(10.5), 0.05).exceeds is False
    assert _asked(_flat(10), _flat(11), 0.05, run_noise=0.0).exceeds is True


def test_ranks():
    one, other = np.arange(30.0), np.arange(30.0) + 100
    assert rank_deviation(one, other, 1) > 5
    assert rank_deviation(other, one, 1) == -rank_deviation(one, other, 1)
    assert rank_deviation(np.ones(9), np.ones(9), 1) == 0
