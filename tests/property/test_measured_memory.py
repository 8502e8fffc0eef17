"""Random sequences of allocations: what is held is what was taken and not given back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfprof.analyses.memory_trace.blocks import by_address, by_size

# owner, size, whether it is taken; some give back what nobody took
CHANGES = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.booleans()), max_size=60)


@given(CHANGES)
def test_by_size_the_held_sum_up_at_every_moment(changes):
    owner = np.array([one[0] for one in changes], np.int64)
    change = np.array([s if taken else -s for _, s, taken in changes], np.int64)
    blocks = by_size(owner, change)
    held = {}
    for done, (who, size, taken) in enumerate(changes, start=1):
        key = who, size
        held[key] = max(0, held.get(key, 0) + (1 if taken else -1))
        alive = blocks.alive_after(done)
        found = {}
        for place in blocks.taken[alive].tolist():
            found[changes[place][:2]] = found.get(changes[place][:2], 0) + 1
        assert found == {key: count for key, count in held.items() if count}


@given(CHANGES)
def test_by_address_the_held_sum_up_at_every_moment(changes):
    place = np.array([one[0] for one in changes], np.int64)
    size = np.array([one[1] for one in changes], np.int64)
    taking = np.array([one[2] for one in changes], bool)
    blocks = by_address(place, taking, size)
    held = {}
    for done, (address, bytes_, taken) in enumerate(changes, start=1):
        held.pop(address, None)
        if taken:
            held[address] = bytes_
        alive = blocks.alive_after(done)
        assert sorted(blocks.bytes[alive].tolist()) == sorted(held.values())


@given(CHANGES)
def test_a_block_is_given_back_after_it_was_taken(changes):
    owner = np.array([one[0] for one in changes], np.int64)
    change = np.array([s if taken else -s for _, s, taken in changes], np.int64)
    blocks = by_size(owner, change)
    assert (blocks.given_back > blocks.taken).all()
    ends = blocks.given_back[blocks.given_back < len(changes)]
    assert len(set(ends.tolist())) == len(ends)
