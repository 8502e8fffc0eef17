"""Blocks of tables: found together or one by one, entries are the same."""

import made_checkpoints as made
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof.wire import table_block
from tfprof.wire.table_block import columns_in, entries_in
from tfprof.wire.varint import WireFault

EVERY = 16


def written(entries, every=EVERY):
    """A block as TensorFlow writes it: every so many entries a key is written whole."""
    out, restarts, before = bytearray(), [], b""
    for row, (key, value) in enumerate(entries):
        shared = 0
        if row % every == 0:
            restarts.append(len(out))
        else:
            while shared < min(len(key), len(before)) and key[shared] == before[shared]:
                shared += 1
        out += made.number(shared) + made.number(len(key) - shared) + made.number(len(value))
        out += key[shared:] + value
        before = key
    return bytes(out) + b"".join(n.to_bytes(4, "little") for n in [*restarts, len(restarts)])


def together(block):
    keys, begin, end = columns_in(block, 0)
    spans = zip(begin.tolist(), end.tolist(), strict=True)
    return [(key, block[a:b]) for key, (a, b) in zip(keys, spans, strict=True)]


def one_by_one(block):
    return [(key, block[begin:end]) for key, begin, end in entries_in(block, 0)]


def outcome(read, block):
    try:
        return read(block)
    except WireFault as fault:
        return fault.what, fault.offset


MANY = [(b"model/layer_%05d/kernel" % n, b"value %d" % n) for n in range(1000)]
LONG = [(b"model/" * 40 + b"%05d" % n + b"/x" * (n % 200), bytes(n % 300)) for n in range(1000)]
SAME = [(b"", b"")] * 500


@pytest.mark.parametrize("entries", [MANY, LONG, SAME], ids=["short", "long", "empty"])
@pytest.mark.parametrize("every", [1, 16])
def test_entries_of_a_large_block_are_found_without_the_loop(entries, every, monkeypatch):
    monkeypatch.delattr(table_block, "entries_in")
    assert together(written(entries, every)) == entries


@pytest.mark.parametrize("every", [100, 1000])
def test_few_restarts_are_read_one_by_one(every):
    assert together(written(MANY, every)) == MANY


def test_a_group_that_does_not_end_is_read_one_by_one():
    """A thousand passes for one restart of many would take longer than the loop."""
    block = written(MANY[:480])
    end = len(block) - 4 * 31
    more = written(MANY[480:], every=10_000)[:-8]
    restarts = block[end:-4]
    assert together(block[:end] + more + restarts + block[-4:]) == MANY


@settings(max_examples=300)
@given(
    st.sampled_from([written(MANY[:500]), written(LONG[:420])]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=4),
)
def test_damaged_blocks_are_judged_alike(block, changes):
    changed = bytearray(block)
    for place, byte in changes:
        changed[min(int(place * len(block)), len(block) - 1)] = byte
    assert outcome(together, bytes(changed)) == outcome(one_by_one, bytes(changed))


@settings(max_examples=200)
@given(st.integers(0, 30), st.integers(0, 1 << 32 - 1))
def test_restarts_that_lie_are_not_believed(which, place):
    block = bytearray(written(MANY[:496]))
    at = len(block) - 4 * 32 + 4 * which
    block[at : at + 4] = (place % (1 << 32)).to_bytes(4, "little")
    assert outcome(together, bytes(block)) == outcome(one_by_one, bytes(block))
