"""Which run of a history got slower: levels, odd runs, and how often chance is taken for one."""

import numpy as np
import pytest

from tfprof.analyses.comparison.history import MOST_EARLIER, compared
from tfprof.analyses.comparison.noise import Samples, judged


def _runs(levels, noise=0.02, steps=20, seed=0):
    random = np.random.default_rng(seed)
    middles = [level * (1 + noise * random.normal()) for level in levels]
    return [middle * (1 + 0.03 * random.random(steps)) for middle in middles]


def _changes(runs, **how):
    return [at for at, one in enumerate(compared(runs, **how)) if one.is_change]


def test_the_first_run_is_compared_with_nothing():
    (one,) = compared(_runs([100.0]))
    assert (one.judged, one.with_, one.reason) == (None, (), "")


def test_a_shift_is_told_once_and_is_what_later_runs_are_compared_with():
    runs = _runs([100.0] * 10 + [120.0] * 10)
    assert _changes(runs) == [10]
    assert compared(runs)[19].with_ == tuple(range(10, 19))


def test_an_odd_run_is_told_and_the_next_is_compared_with_those_before_it():
    runs = _runs([100.0] * 8 + [130.0] + [100.0] * 8 + [118.0] * 4)
    assert _changes(runs) == [8, 17]
    after = compared(runs)[9]
    assert after.with_ == tuple(range(8))
    assert 8 not in compared(runs)[16].with_


def test_faster_is_a_change_too():
    found = compared(_runs([100.0] * 6 + [80.0] * 3))[6]
    assert found.is_change
    assert found.judged.change < 0


def test_a_single_run_before_is_judged_as_a_difference_of_two_captures():
    runs = _runs([100.0, 115.0, 160.0])
    first, second, third = compared(runs)
    assert first.judged is None
    pair = {"step": (Samples([runs[0]]), Samples([runs[1]]))}
    assert second.judged == judged(pair, Samples([runs[0]]).level, whole="step")["step"]
    assert second.is_stated
    assert not second.is_change  # 10% from run to run are taken
    assert third.is_change


def test_a_noise_that_is_known_to_be_small_finds_more():
    runs = _runs([100.0, 115.0], noise=0.0)
    assert _changes(runs) == []
    assert _changes(runs, run_noise=0.02) == [1]


def test_a_short_run_is_not_compared_and_nothing_is_compared_with_it():
    runs = _runs([100.0] * 4)
    runs[2] = runs[2][:3]
    found = compared(runs)
    assert found[2].reason == "too few samples: 3 steps, 5 are needed"
    assert found[3].with_ == (0, 1)


def test_a_long_history_is_compared_with_its_end():
    assert len(compared(_runs([100.0] * 60))[-1].with_) == MOST_EARLIER


@pytest.mark.parametrize("noise", [0.01, 0.05])
def test_chance_is_seldom_taken_for_a_change(noise):
    """Thirty histories of a hundred runs that never change: each is asked about a hundred times."""
    found = [len(_changes(_runs([100.0] * 100, noise, seed=seed))) for seed in range(30)]
    told = sum(one.alpha for one in compared(_runs([100.0] * 100, noise)))
    assert sum(found) / len(found) <= told < 2


def test_runs_that_are_all_the_same_have_no_noise():
    runs = [np.full(10, 100.0)] * 5 + [np.full(10, 104.0)]
    assert _changes(runs) == [5]
