"""Runs made by chance, whose noise is known: what is called a change, and what is not."""

import numpy as np
import pytest

from tfprof.analyses.comparison.noise import Samples, judged

LEVELS = {"conv": 30.0, "dense": 25.0, "adam": 20.0, "pool": 12.0, "relu": 8.0, "bias": 5.0}
STEP = sum(LEVELS.values())


def side(random, runs, steps=30, slower=None):
    """Each run is off by 3 % as a whole, each row of it by 2 %, each step by 8 %."""
    rows = {name: [] for name in LEVELS}
    for _ in range(runs):
        whole = random.normal(1, 0.03)
        for name, level in LEVELS.items():
            usual = level * whole * random.normal(1, 0.02) * (slower or {}).get(name, 1)
            rows[name].append(usual * np.exp(random.normal(0, 0.08, steps)))
    return {name: Samples(found) for name, found in rows.items()}


def changed(random, runs, steps=30, slower=None):
    before, after = side(random, runs, steps), side(random, runs, steps, slower)
    found = judged({name: (before[name], after[name]) for name in LEVELS}, STEP)
    return {name for name, one in found.items() if one.significant}


def test_the_same_program_seldom_has_a_change():
    random = np.random.default_rng(7)
    assert sum(bool(changed(random, 3)) for _ in range(40)) <= 2


def test_a_row_that_is_a_fifth_slower_is_found_alone():
    random = np.random.default_rng(8)
    found = [changed(random, 3, slower={"conv": 1.2}) for _ in range(20)]
    assert sum("conv" in names for names in found) >= 18
    assert sum(names == {"conv"} for names in found) >= 17


def test_of_one_run_a_side_only_what_is_far_beyond_the_stated_noise():
    random = np.random.default_rng(9)
    assert not any(changed(random, 1) for _ in range(20))
    assert not any(changed(random, 1, slower={"conv": 1.15}) for _ in range(20))
    assert all("conv" in changed(random, 1, slower={"conv": 0.4}) for _ in range(20))


def test_too_few_steps_are_never_a_change():
    random = np.random.default_rng(10)
    before, after = side(random, 3, 4), side(random, 3, 4, {"conv": 9.0})
    found = judged({"conv": (before["conv"], after["conv"])}, STEP)["conv"]
    assert not found.significant
    assert found.p is None
    assert "4 steps, 5 are needed" in found.reason


def test_what_is_too_small_to_matter_is_none():
    still = Samples([np.full(30, 10.0)] * 3)
    slower = Samples([np.full(30, 10.1)] * 3)
    assert not judged({"row": (still, slower)}, 10.0)["row"].significant


def test_what_never_varies_and_differs_is_one():
    still, slower = Samples([np.full(30, 10.0)] * 3), Samples([np.full(30, 12.0)] * 3)
    found = judged({"row": (still, slower), "same": (still, still)}, 20.0)
    assert found["row"].significant
    assert found["same"].change == 0
    assert not found["same"].significant


def test_the_interval_holds_the_truth():
    random = np.random.default_rng(11)
    held = 0
    for _ in range(40):
        before, after = side(random, 3), side(random, 3, slower={"conv": 1.2})
        one = judged({name: (before[name], after[name]) for name in LEVELS}, STEP)["conv"]
        held += one.low <= 0.2 * LEVELS["conv"] <= one.high
    assert held >= 36


@pytest.mark.parametrize("runs", [1, 2])
def test_rows_of_zeros_are_no_change(runs):
    nothing = Samples([np.zeros(10)] * runs)
    found = judged({"row": (nothing, nothing)}, 0.0)["row"]
    assert (found.change, found.significant) == (0, False)


def test_five_steps_that_never_meet_are_told_apart():
    """502 against 32 ms, one capture a side: far beyond what runs are taken to differ by."""
    slow, fast = np.array([500.0, 502, 498, 505, 501]), np.array([32.0, 33, 31, 32, 34])
    rows = {"step": (Samples([slow]), Samples([fast]))}
    assert judged(rows, 502.0)["step"].significant
    # a tenth is what runs differ by
    near = {"step": (Samples([slow]), Samples([slow * 1.1]))}
    assert not judged(near, 502.0)["step"].significant
