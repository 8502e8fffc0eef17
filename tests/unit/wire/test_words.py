"""Words of a buffer and the numbers in them, against plain slices and loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfprof.wire.varint import varint
from tfprof.wire.words import Words, varints_in


@given(st.binary(min_size=1, max_size=30))
def test_a_word_is_the_next_eight_bytes_with_zeros_behind_the_end(data):
    positions = np.arange(len(data))
    words = Words(data).at(positions).tolist()
    assert words == [int.from_bytes(data[at : at + 8], "little") for at in positions]


@given(st.binary(min_size=1, max_size=90), st.sampled_from([1, 2, 4, 8]), st.integers(0, 70))
def test_many_words_are_the_bytes_that_are_asked_for_and_zeros(data, count, most):
    positions = np.arange(len(data) + 1)
    sizes = np.minimum(most, len(data) - positions)
    found = Words(data).many_at(positions, sizes, count)
    kept = [data[at : at + size][: count * 8] for at, size in zip(positions, sizes, strict=True)]
    assert [row.tobytes() for row in found] == [one.ljust(count * 8, b"\0") for one in kept]


@given(st.lists(st.binary(min_size=7, max_size=7), min_size=1))
def test_numbers_in_words_are_those_a_loop_reads(heads):
    words = np.array([int.from_bytes(head, "little") for head in heads], np.uint64)
    values, sizes = varints_in(words)
    for head, value, size in zip(heads, values.tolist(), sizes.tolist(), strict=True):
        theirs, after = varint(head + b"\0", 0)
        assert size == after
        if size < 8:
            assert value == theirs


@given(st.binary(max_size=300), st.integers(0, 2), st.integers(0, 255))
def test_who_goes_towards_a_byte_passes_none_and_arrives(data, few, byte):
    data = data.replace(b"\1", b"\0" * 60 * few)
    words = Words(data)
    for position in range(len(data)):
        found = position
        for _ in range(len(data)):
            before, found = found, int(words.towards(byte, np.array([found]))[0])
            assert byte not in data[before:found] or found == len(data)
            if found == len(data) or data[found] == byte:
                break
            assert found > before
        else:
            raise AssertionError("it stays where it is")
