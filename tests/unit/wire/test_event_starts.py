"""Where events start: what is found in all bytes at once is what one after the other says."""

import made_checkpoints as made
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tfprof.wire.event_starts
import tfprof.wire.leaps
from tfprof.wire.event_starts import EVENT_TAG, event_starts
from tfprof.wire.positions import field_positions, field_runs
from tfprof.wire.words import Words

MOST = tfprof.wire.event_starts._MOST_ODD


def field(payload, tag=EVENT_TAG):
    return bytes([tag]) + made.number(len(payload)) + payload


def event(name=1, offset=5, rest=b""):
    return field(b"\x08" + made.number(name) + b"\x10" + made.number(offset) + rest)


# a stat looks like an event, up to its second field
STAT = field(b"\x08\x07\x18\x05")
LIKE_AN_EVENT = field(b"\x08\x07\x10\x05\x18\x01")
USUAL = st.builds(
    event,
    st.integers(0, 1 << 20),
    st.integers(0, 1 << 50),
    st.sampled_from([b"", b"\x18\x64", STAT, STAT * 3, LIKE_AN_EVENT * 2, STAT[:-1]]),
)
# without a name, longer than a byte says, empty, or of bytes that mean nothing
ODD = st.sampled_from([
    field(b"\x10\x05"), event(rest=b"\x22\x08\x08" * 100), field(b""), field(event() * 30),
    field(b"\x22\x08\x08\x01\x10"), event(rest=bytes(100_000)),
])  # fmt: skip


@pytest.fixture(autouse=True, params=[64, 1 << 18], ids=["small blocks", "large blocks"])
def _blocks(request, monkeypatch):
    monkeypatch.setattr(tfprof.wire.event_starts, "_BLOCK", request.param)
    monkeypatch.setattr(tfprof.wire.leaps, "_STRIDE", 256)


@pytest.fixture(scope="module")
def _leaps_at_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tfprof.wire.positions._LEAP_FROM", 64)
        patch.setattr("tfprof.wire.positions._RUN", 8)
        yield


def starts_of(fields):
    return np.cumsum([0, *map(len, fields)]).tolist()


def starts_in(data, behind=b""):
    parts, arrived = event_starts(Words(data + behind), 0, len(data), EVENT_TAG)
    return np.concatenate([np.zeros(0, np.int64), *parts]), arrived


def assert_proven(fields, behind=b""):
    """Whatever is found is true, and all of it is up to where the proof ends."""
    data = b"".join(fields)
    found, arrived = starts_in(data, behind)
    true = starts_of(fields)
    assert found.tolist() == true[: len(found)]
    assert arrived == true[len(found)]
    return len(found)


@settings(deadline=None)
@given(
    st.lists(USUAL | USUAL | USUAL | ODD, min_size=1, max_size=200),
    st.sampled_from([b"", event() * 9, b"\x22"]),
)
@example([event(rest=b"\x18\x64")] * 40, b"")
def test_what_is_found_is_true(fields, behind):
    found = assert_proven(fields, behind)
    # in the last bytes others look
    assert sum(map(len, fields[found:])) <= 16 or len(fields[-1]) > 16


def test_nearly_all_events_are_found_here(monkeypatch):
    monkeypatch.delattr(tfprof.wire.event_starts, "run_starts")
    assert assert_proven([event(n, n * 1000, STAT) for n in range(16_000)]) >= 15_998


def test_a_few_that_look_otherwise_are_followed_one_by_one(monkeypatch):
    monkeypatch.delattr(tfprof.wire.event_starts, "run_starts")
    usual = [event(n, n * 1000, LIKE_AN_EVENT) for n in range(1000)]
    odd = [field(b"\x10\x05"), event(rest=b"\x22\x08" * 100)] * (MOST // 2)
    mixed = [one for pair in zip(usual, odd, strict=False) for one in pair] + usual
    assert assert_proven(mixed) >= len(mixed) - 1


def test_many_that_look_otherwise_are_left_to_walkers():
    assert assert_proven([field(b"\x10\x05\x18\x0a")] * 5000) >= 4900


def test_another_field_ends_the_run():
    fields = [event(n) for n in range(300)]
    data = b"".join(fields) + b"\x48\x05" + event() * 300
    found, arrived = starts_in(data)
    assert found.tolist() == starts_of(fields)[:-1]
    assert arrived == starts_of(fields)[-1]


def test_an_event_that_is_cut_off_is_left_to_others():
    fields = [event(n, 5, STAT) for n in range(300)]
    data = b"".join(fields)[:-1]
    found, arrived = starts_in(data, bytes(99))
    assert found.tolist() == starts_of(fields)[: len(found)]
    assert arrived == starts_of(fields)[len(found)]
    assert len(found) < len(fields)


@pytest.mark.usefixtures("_leaps_at_once")
@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 30_000), st.integers(0, 255)), min_size=1, max_size=9))
def test_damaged_lines_have_the_same_fields(changes):
    data = bytearray(b"".join(event(n, n * 1000, STAT) for n in range(2500)))
    for place, byte in changes:
        data[place] = byte
    words = Words(bytes(data))
    plain = field_positions(bytes(data), words, 0, len(data))
    runs = field_runs(bytes(data), words, 0, len(data), None, event_starts)
    assert np.concatenate([part for _, part in runs]).tolist() == plain.tolist()
