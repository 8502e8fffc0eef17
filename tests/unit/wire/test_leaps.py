"""Runs of fields found from many places at once, against a walk from the beginning."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfprof.wire.leaps
import tfprof.wire.positions
from tfprof.wire.leaps import run_starts
from tfprof.wire.positions import field_positions
from tfprof.wire.words import Words

TAG = 0x22


def _field(payload, tag=TAG):
    size, prefix = len(payload), bytearray([tag])
    while size > 0x7F:
        prefix.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([*prefix, size]) + payload


# payloads that look like fields themselves, and some that look like the end of one
TRAPS = st.sampled_from([
    _field(b"ab"), _field(b"") * 9, _field(_field(b"abc")), b"\x22", b"\x22\x7f", b"\x22\xff\x01",
    b"\x22\x02" * 30, b"\0" * 200,
])  # fmt: skip
PAYLOADS = st.binary(max_size=40) | TRAPS | st.lists(TRAPS, max_size=3).map(b"".join)


@pytest.fixture(autouse=True)
def _walkers_close_together(monkeypatch):
    monkeypatch.setattr(tfprof.wire.leaps, "_STRIDE", 64)
    monkeypatch.setattr(tfprof.wire.leaps, "_WALKERS", 8)
    monkeypatch.setattr(tfprof.wire.leaps, "_WARM_UP", 2)
    monkeypatch.setattr(tfprof.wire.positions, "_LEAP_FROM", 64)
    monkeypatch.setattr(tfprof.wire.positions, "_RUN", 3)


def _starts(fields, before=b""):
    sizes = [len(before), *map(len, fields)]
    return np.cumsum(sizes)[:-1].tolist()


@settings(deadline=None)
@given(st.lists(PAYLOADS, min_size=1, max_size=120), st.binary(max_size=9))
def test_what_is_proven_is_the_beginning_of_the_run(payloads, behind):
    fields = [_field(payload) for payload in payloads]
    data = b"".join(fields)
    parts, arrived = run_starts(Words(data + behind), 0, len(data), TAG)
    found = np.concatenate(parts)
    true = [*_starts(fields), len(data)]
    assert found.tolist() == true[: len(found)]
    assert arrived == true[len(found)]


@settings(deadline=None)
@given(st.lists(st.tuples(PAYLOADS, st.sampled_from([TAG, TAG, TAG, TAG, 0x1A])), max_size=200))
def test_all_fields_are_found_whatever_the_leaps_prove(parts):
    fields = [_field(payload, tag) for payload, tag in parts]
    data = b"\x08\x07" + b"".join(fields) + b"\x48\x01"
    found = field_positions(data, Words(data), 0, len(data))
    assert found.tolist() == [0, *_starts(fields, b"\x08\x07"), len(data) - 2]


def test_a_run_of_like_fields_is_proven_to_its_end():
    data = _field(b"\x08\x01\x10\x90\x4e") * 500 + b"\x48\x01"
    parts, arrived = run_starts(Words(data), 0, len(data), TAG)
    assert sum(map(len, parts)) == 500
    assert arrived == len(data) - 2


def test_a_broken_field_is_the_last_position():
    data = _field(b"abcd") * 300
    data = data[:600] + b"\x27" + data[601:]
    found = field_positions(data, Words(data), 0, len(data))
    assert found.tolist() == list(range(0, 601, 6))
