"""Which event belongs to which, against a walk with a stack that anybody can follow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.analyses.events.self_time import holders, self_times


def slowly(line, start, end):
    """The innermost earlier event of the line that holds each one whole."""
    found = []
    for row in range(len(start)):
        around = [
            other
            for other in range(row)
            if line[other] == line[row] and end[other] >= end[row] and start[row] < end[other]
        ]
        found.append(around[-1] if around else -1)
    return found


def columns(events):
    """Events as (line, start, duration) in the order of a capture."""
    ordered = sorted(events, key=lambda event: (event[0], event[1], -event[2]))
    return [np.array(column, np.int64) for column in zip(*ordered, strict=True)]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(0, 20)),
        min_size=1,
        max_size=40,
    )
)
def test_an_event_belongs_to_the_innermost_one_around_it(events):
    line, start, duration = columns(events)
    end = start + duration
    ours, expected = holders(line, start, end), slowly(line, start, end)
    # an event without length at the end of another takes nothing from anybody
    long = duration > 0
    assert ours[long].tolist() == np.array(expected)[long].tolist()


def test_inner_events_are_taken_off_once():
    # a(b(c) d) and, on another line, e at the same time
    line, start, duration = columns(
        [(0, 0, 100), (0, 10, 50), (0, 20, 30), (0, 70, 5), (1, 0, 100)]
    )
    assert self_times(line, start, duration).tolist() == [45, 20, 30, 5, 100]


def test_what_only_overlaps_takes_nothing():
    line, start, duration = columns([(0, 0, 10), (0, 5, 10)])
    assert self_times(line, start, duration).tolist() == [10, 10]


def test_inner_events_that_overlap_never_make_time_negative():
    line, start, duration = columns([(0, 0, 10), (0, 1, 8), (0, 2, 8)])
    assert self_times(line, start, duration).tolist() == [0, 8, 8]


@pytest.mark.parametrize("count", [0, 1])
def test_of_few_events(count):
    nothing = np.zeros(count, np.int64)
    assert self_times(nothing, nothing, nothing + 3).tolist() == [3] * count


def test_many_siblings_are_found_quickly():
    count = 1_000_000
    start = np.arange(count) * 10
    whole = np.concatenate([[0], start]), np.concatenate([[10 * count], np.full(count, 4)])
    own = self_times(np.zeros(count + 1, np.int64), *whole)
    assert own[0] == 6 * count
    assert (own[1:] == 4).all()
