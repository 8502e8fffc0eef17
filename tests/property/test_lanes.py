"""Lanes of a thread are those that whoever takes one event after the other finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfprof.analyses.timeline.lanes import lanes

EVENTS = st.lists(st.tuples(st.integers(0, 25), st.integers(0, 9)), max_size=14)


def by_hand(events, *, nested):
    """The first lane in which nothing runs that does not hold the event."""
    held: list[list[int]] = []
    found = []
    for begin, end in events:
        held.append([])
        running = ([stop for stop in before if stop > begin] for before in held)
        fits = [not ends or (nested and end <= min(ends)) for ends in running]
        found.append(fits.index(True))
        held[found[-1]].append(end)
    return found


@given(EVENTS, st.booleans())
def test_lanes_are_those_found_by_hand(made, nested):
    events = sorted(((begin, begin + size) for begin, size in made), key=lambda e: (e[0], -e[1]))
    start, end = (np.array([one[at] for one in events], np.int64) for at in (0, 1))
    assert lanes(start, end, nested=nested).tolist() == by_hand(events, nested=nested)
