"""Stats of some names: the same as among all, and the others are mostly passed over."""

import made_checkpoints as made
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.wire.fields import whole
from tfprof.wire.ids import Ids
from tfprof.wire.xspace import event_stats, read_plane
from tfprof.wire.xstats import read_stats

FIELD = 4
NAMES = Ids(np.array([3, 5, 127, 128, 300], np.int64))

NUMBERS = st.integers(0, (1 << 64) - 1) | st.sampled_from([1 << 7 * n for n in range(10)])
VALUES = st.one_of(
    st.tuples(st.sampled_from([b"\x18", b"\x20", b"\x38"]), NUMBERS.map(made.number)).map(b"".join),
    st.binary(min_size=8, max_size=8).map(lambda eight: b"\x11" + eight),
    st.binary(max_size=9).map(lambda text: b"\x2a" + bytes([len(text)]) + text),
)  # fmt: skip
NAMED = st.sampled_from([3, 5, 127, 128, 300, 9]).map(lambda n: b"\x08" + made.number(n))
# a name, a value; or anything in any order, and several times
STATS = st.tuples(NAMED, VALUES).map(b"".join) | st.lists(NAMED | VALUES, max_size=4).map(b"".join)


def written(messages):
    """The bytes of messages, and where each begins and ends."""
    each = [b"".join(b"\x22" + made.number(len(one)) + one for one in stats) for stats in messages]
    ends = np.cumsum([len(one) for one in each], dtype=np.int64)
    return b"".join(each), ends - [len(one) for one in each], ends


def columns(table):
    return [getattr(table, one).tolist() for one in ("owner", "name", "kind", "value", "size")]


@given(
    st.lists(st.lists(STATS, max_size=4), min_size=1, max_size=40),
    st.lists(st.integers(0, 5), max_size=3),
    st.sampled_from([b"", bytes(99)]),
)
def test_stats_of_some_names_are_those_among_all(messages, only, behind):
    data, starts, ends = written(messages)
    every = read_stats(data + behind, starts, ends, FIELD, NAMES)
    some = read_stats(data + behind, starts, ends, FIELD, NAMES, only)
    assert columns(some.named(only)) == columns(every.named(only))


@pytest.mark.parametrize("count", [1, 50])
def test_the_last_of_several_values_counts_however_many_there_are(count):
    """Few messages are walked one by one, many together."""
    data, starts, ends = written([[b"\x08\x03\x18\x07\x11" + bytes(8)]] * count)
    found = read_stats(data, starts, ends, FIELD, NAMES)
    assert (found.kind.tolist(), found.value.tolist()) == ([2] * count, [0] * count)


@pytest.mark.parametrize("value", [0, 127, 128, 1 << 35, 1 << 55, 1 << 56, 1 << 62, (1 << 64) - 1])
def test_numbers_of_other_names_are_passed_over(value):
    stats = [b"\x08\x03\x18" + made.number(value), b"\x08\x05\x20" + made.number(value)]
    data, starts, ends = written([stats] * 50)
    found = read_stats(data, starts, ends, FIELD, NAMES, [1])
    assert set(found.name.tolist()) == {1}
    assert found.value.tolist() == [value] * 50


def test_every_stat_of_a_capture_is_found_by_its_name(samples):
    data = (samples / "xplane/slow-cb.xplane.pb").read_bytes()
    found = whole(data).repeated(1)
    for start, end in zip(found.start.tolist(), found.end.tolist(), strict=True):
        plane = read_plane(data, start, end)
        rows = np.arange(len(plane.events))
        every = event_stats(data, plane, rows)
        for name in set(every.name.tolist()):
            some = event_stats(data, plane, rows, [name])
            assert len(some) <= len(every)
            assert columns(some.named([name])) == columns(every.named([name]))
