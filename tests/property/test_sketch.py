"""Sketches: quantiles within 1 %, and sums that know no order."""

import pickle

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tfprof.results.sketch import Sketch, sketches

QUICKLY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LARGEST = 2**63 - 1
VALUES = st.lists(st.one_of(st.integers(0, 300), st.integers(0, LARGEST)), max_size=60)
PARTS = st.lists(VALUES, min_size=1, max_size=6)


def sketch(values):
    return Sketch.of(np.array(values, np.int64))


def is_within_a_percent(told, true):
    return abs(told - true) <= 0.01 * true * (1 + 1e-12)


@QUICKLY
@given(VALUES, st.floats(0, 1))
def test_a_value_by_its_rank_is_within_a_percent(values, share):
    found = sketch(values)
    assert len(found) == len(values)
    for rank, true in enumerate(sorted(values)):
        assert is_within_a_percent(found.at(rank), true)
    assert found.at(len(values)) is None
    if values:
        true = sorted(values)[int(share * (len(values) - 1))]
        assert is_within_a_percent(found.quantile(share), true)


@QUICKLY
@given(VALUES)
def test_the_median_is_within_a_percent(values):
    if values:
        low, high = (sorted(values)[at // 2] for at in (len(values) - 1, len(values)))
        assert is_within_a_percent(sketch(values).median, (low + high) / 2)
    else:
        assert sketch(values).median is None


@QUICKLY
@given(st.integers(0, 49))
def test_small_values_are_exact(value):
    assert sketch([value]).median == value


@QUICKLY
@given(PARTS, st.randoms())
def test_any_order_and_any_tree_is_the_sketch_of_all(parts, chance):
    whole = sketch([value for part in parts for value in part])
    left = [sketch(part) for part in parts]
    while len(left) > 1:
        one = left.pop(chance.randrange(len(left)))
        other = left.pop(chance.randrange(len(left)))
        left.append(pickle.loads(pickle.dumps(one.merge(other))))
    assert left == [whole]
    assert Sketch.merged(map(sketch, parts)) == whole


@QUICKLY
@given(PARTS)
def test_groups_are_sketched_as_each_alone(parts):
    values = np.array([value for part in parts for value in sorted(part)], np.int64)
    sizes = np.array([len(part) for part in parts])
    assert sketches(values, sizes) == [sketch(part) for part in parts]


def test_random_durations_of_many_sizes():
    values = np.random.default_rng(7).lognormal(14, 4, 20_000).astype(np.int64)
    found, true = sketch(values), np.sort(values)
    for share in np.linspace(0, 1, 101):
        told = found.quantile(share)
        assert is_within_a_percent(told, true[int(share * (len(true) - 1))])
