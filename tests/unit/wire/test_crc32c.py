"""CRC-32C against published vectors, its definition and what TensorFlow writes."""

import struct

import google_crc32c
import made_checkpoints
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from tfprof.wire import crc32c as ours
from tfprof.wire.crc32c import crc32c, crc32c_many, extended, masked, unmasked

# RFC 3720, appendix B.4, and the check value of the algorithm
VECTORS = {
    b"": 0,
    b"123456789": 0xE3069283,
    b"a": 0xC1D04330,
    bytes(32): 0x8A9136AA,
    b"\xff" * 32: 0x62A8AB43,
    bytes(range(32)): 0x46DD794E,
    bytes(range(31, -1, -1)): 0x113FDB5C,
}
# around the borders between the loop, one lane and rounds of many lanes
EDGES = [1, 7, 8, 511, 512, 1023, 1024, 1025, 1535, 1536, 2047, 65_537, (1 << 22) - 1, (1 << 22)]


@pytest.fixture(autouse=True, scope="module", params=["fast", "ours"])
def implementation(request):
    """Every test once with google-crc32c and once without."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "ours":
            patch.setattr(ours, "_fast", lambda: None)
        yield request.param


def test_the_extra_is_used_where_it_is_installed(implementation):
    assert (ours._fast() is not None) == (implementation == "fast")


@given(st.integers(0, 2**32 - 1), st.integers(0, 5000), st.randoms())
def test_both_go_on_from_any_sum_alike(crc, size, random):
    data = random.randbytes(size)
    fast = google_crc32c.extend(crc, data)
    for given_as in (data, memoryview(data), np.frombuffer(data, np.uint8)):
        assert extended(crc, given_as) == fast


@pytest.mark.parametrize("data", VECTORS, ids=lambda data: f"{len(data)} bytes, {data[:2].hex()}")
def test_published_vectors_come_out(data):
    assert crc32c(data) == VECTORS[data]


def test_sums_are_those_tensorflow_stores_beside_its_records(tmp_path):
    rows = np.random.default_rng(1)
    sizes = [*EDGES, (1 << 22) + 777, *rows.integers(0, 9000, 60).tolist()]
    texts = [rows.bytes(size) for size in sizes]
    with tf.io.TFRecordWriter(str(tmp_path / "records")) as writer:
        for text in texts:
            writer.write(text)
    file, at = (tmp_path / "records").read_bytes(), 0
    for text in texts:
        size, size_crc = struct.unpack_from("<QI", file, at)
        (crc,) = struct.unpack_from("<I", file, at + 12 + size)
        assert size == len(text)
        assert masked(crc32c(file[at : at + 8])) == size_crc
        assert masked(crc32c(text)) == crc, size
        at += 16 + size
    assert at == len(file)


@given(st.binary(max_size=300))
def test_short_texts_have_the_sum_their_definition_gives(data):
    assert crc32c(data) == made_checkpoints.reference_crc(data)


@pytest.mark.parametrize("size", [1500, 4096, 10_007])
def test_long_texts_have_the_sum_their_definition_gives(size):
    data = np.random.default_rng(size).bytes(size)
    assert crc32c(data) == made_checkpoints.reference_crc(data)


def test_a_text_may_be_bytes_a_view_or_an_array():
    data = np.random.default_rng(2).bytes(5000)
    whole = crc32c(data)
    assert crc32c(memoryview(data)) == whole
    assert crc32c(np.frombuffer(data, np.uint8)) == whole


@given(st.integers(0, 6000), st.integers(0, 6000), st.integers(0, 1 << 30))
def test_a_sum_goes_on_where_another_ended(first, second, seed):
    rows = np.random.default_rng(seed)
    head, tail = rows.bytes(first), rows.bytes(second)
    assert extended(crc32c(head), tail) == crc32c(head + tail)


@given(st.integers(0, 0xFFFFFFFF))
def test_masking_can_be_undone(crc):
    assert unmasked(masked(crc)) == crc
    assert 0 <= masked(crc) <= 0xFFFFFFFF


@given(st.binary(min_size=1, max_size=400), st.data())
def test_many_stretches_have_the_sums_they_have_alone(data, draw):
    place = st.integers(0, len(data))
    pairs = draw.draw(st.lists(st.tuples(place, place).map(sorted), max_size=12))
    starts = np.array([a for a, _ in pairs], np.int64)
    ends = np.array([b for _, b in pairs], np.int64)
    sums = crc32c_many(np.frombuffer(data, np.uint8), starts, ends)
    assert sums.tolist() == [crc32c(data[a:b]) for a, b in pairs]


def test_one_changed_bit_changes_the_sum():
    data = bytearray(np.random.default_rng(3).bytes(3000))
    right = crc32c(bytes(data))
    for position in range(0, 3000, 7):
        data[position] ^= 1 << position % 8
        assert crc32c(bytes(data)) != right, position
        data[position] ^= 1 << position % 8
