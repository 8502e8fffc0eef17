"""Intervals against sets of small integers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfprof.analyses.events.intervals import Intervals

TIMES = st.integers(-3, 30)
PAIRS = st.lists(st.tuples(TIMES, TIMES), max_size=8)


def instants(pairs):
    return {time for start, end in pairs for time in range(start, end)}


def made(pairs):
    return Intervals.union([start for start, _ in pairs], [end for _, end in pairs])


def members(intervals):
    """Also checks that they are sorted, filled, and apart."""
    starts, ends = intervals.starts.tolist(), intervals.ends.tolist()
    assert all(start < end for start, end in zip(starts, ends, strict=True))
    assert all(end < start for end, start in zip(ends, starts[1:], strict=False))
    assert intervals.starts.dtype == intervals.ends.dtype == np.int64
    found = instants(zip(starts, ends, strict=True))
    assert intervals.length == len(found)
    return found


@given(PAIRS)
def test_a_union_holds_what_any_of_the_intervals_holds(pairs):
    assert members(made(pairs)) == instants(pairs)


@given(PAIRS, PAIRS, PAIRS)
def test_joined_cut_and_common(some, others, more):
    one, other = made(some), made(others)
    assert members(one.join(other, made(more))) == instants(some + others + more)
    assert members(one.minus(other)) == instants(some) - instants(others)
    assert members(one.both(other)) == instants(some) & instants(others)


@given(PAIRS, TIMES, TIMES)
def test_within_and_between(pairs, begin, end):
    window = set(range(begin, end))
    assert members(made(pairs).within(begin, end)) == instants(pairs) & window
    assert members(made(pairs).gaps(begin, end)) == window - instants(pairs)


@given(PAIRS, st.lists(TIMES, max_size=5))
def test_what_is_covered_before_a_time(pairs, times):
    before = [sum(instant < time for instant in instants(pairs)) for time in times]
    assert made(pairs).covered(times).tolist() == before


@given(PAIRS, PAIRS)
def test_what_is_covered_in_many_windows(pairs, windows):
    found = made(pairs).covered_between([b for b, _ in windows], [e for _, e in windows])
    expected = [len(instants(pairs) & set(range(b, e))) for b, e in windows]
    assert found.tolist() == expected
