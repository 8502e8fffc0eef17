"""Tables, the snappy blocks in them, and the ordered codes of slice keys."""

import contextlib
import time

import made_checkpoints as made
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof.wire import snappy
from tfprof.wire.fields import WireFault
from tfprof.wire.ordered_code import decode_slice_key, slice_key_prefix
from tfprof.wire.table import SortedTable


def opened(data):
    return SortedTable(lambda at, size: data[max(0, at) : max(0, at) + size], len(data))


def listed(data):
    return [(entry.key, entry.value) for entry in opened(data).entries()]


ENTRIES = st.dictionaries(
    st.binary(max_size=6) | st.text("ab/", max_size=30).map(str.encode),
    st.binary(max_size=50) | st.integers(0, 500).map(lambda n: b"same " * n),
    max_size=25,
).map(lambda found: sorted(found.items()))


@given(ENTRIES, st.integers(1, 5))
def test_entries_come_back_in_order(entries, per_block):
    assert listed(made.table(entries, per_block=per_block)) == entries


@settings(max_examples=50)
@given(ENTRIES, st.integers(1, 5))
def test_entries_of_snappy_blocks_come_back_in_order(entries, per_block):
    assert listed(made.table(entries, per_block=per_block, compress=made.snappy)) == entries


def test_snappy_blocks_in_a_checkpoints_index_are_read(tmp_path):
    prefix = made.small_checkpoint(tmp_path / "model")
    values = dict(made.opened(prefix).tensors)
    entries = made.entries_of(made.index(prefix))
    packed = made.table(entries, compress=made.snappy)
    assert packed != made.index(prefix).read_bytes()
    made.index(prefix).write_bytes(packed)
    again = made.opened(prefix)
    assert again.tensors == values
    assert again.stored(again.tensors["layer/bias"]).tolist() == [0.5, -1.0, 2.0]


def test_an_entry_knows_where_its_block_starts():
    data = made.table([(b"a", b"1"), (b"b", b"2"), (b"c", b"3")], per_block=1)
    assert [entry.block for entry in opened(data).entries()] == [0, 18, 36]


def test_only_the_blocks_asked_for_are_read():
    data = made.table([(b"%03d" % n, bytes(1000)) for n in range(300)], per_block=10)
    touched = []

    def read_at(at, size):
        touched.append(size)
        return data[at : at + size]

    table = SortedTable(read_at, len(data))
    handles = list(table.blocks())
    assert len(handles) == 30
    assert next(iter(table.block_entries(handles[7]))).key == b"070"
    assert sum(touched) < len(data) / 20


@pytest.mark.parametrize("compress", [None, made.snappy], ids=["plain", "snappy"])
def test_a_flipped_byte_anywhere_is_noticed(compress):
    """Each block has a checksum, and what is not in a block is looked at all the same."""
    entries = [(f"layer_{n}/kernel".encode(), f"value value {n}".encode()) for n in range(7)]
    data = made.table(entries, compress=compress)
    unnoticed = []
    for position in range(len(data)):
        changed = bytearray(data)
        changed[position] ^= 0x10
        with contextlib.suppress(WireFault):
            listed(bytes(changed))
            unnoticed.append(position)
    assert unnoticed == [], f"of {len(data)} bytes; the footer starts at {len(data) - 48}"


def test_a_wrong_checksum_is_reported_with_the_blocks_offset():
    data = bytearray(made.table([(b"a", b"1"), (b"b", b"2"), (b"c", b"3")], per_block=1))
    data[20] ^= 1
    with pytest.raises(WireFault, match="checksum") as caught:
        listed(bytes(data))
    assert caught.value.offset == 18


def test_a_table_cut_off_anywhere_is_noticed():
    data = made.table([(b"a", b"1"), (b"b", b"2")])
    for size in range(len(data)):
        with pytest.raises(WireFault):
            listed(data[:size])


def with_block(content, kind=b"\0"):
    """A table of one data block with this content, whatever it is; its checksum is right."""
    stored = content + kind
    file = stored + made.reference_masked(stored)
    handle = made.number(0) + made.number(len(content))
    first = made.block([(b"z", handle)]) + b"\0"
    at = len(file)
    file += first + made.reference_masked(first)
    empty = made.block([]) + b"\0"
    meta = made.number(len(file)) + made.number(len(empty) - 1)
    file += empty + made.reference_masked(empty)
    footer = meta + made.number(at) + made.number(len(first) - 1)
    return file + footer.ljust(40, b"\0") + bytes.fromhex("57fb808b247547db")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", b"\0"),
        (b"abc", b"\0"),
        (made.block([(b"a", b"1")])[:-8] + b"\xff\xff\xff\x7f", b"\0"),
        (b"\x05\x01\x01ab" + bytes([0, 0, 0, 0, 1, 0, 0, 0]), b"\0"),
        (b"\0\x7f\x01ab" + bytes([0, 0, 0, 0, 1, 0, 0, 0]), b"\0"),
        (b"\0\x80" + bytes([0, 0, 0, 0, 1, 0, 0, 0]), b"\0"),
        (made.block([(b"a", b"1")]), b"\2"),
        (b"\xff\xff\xff\xff\x0f\0a", b"\1"),
    ],
    ids=[
        "no bytes", "no restarts", "more restarts than bytes", "shares more than there is",
        "longer than the block", "a number cut off", "unknown compression", "a snappy bomb",
    ],
)  # fmt: skip
def test_a_block_that_cannot_be_is_refused_although_its_checksum_is_right(content, kind):
    with pytest.raises(WireFault):
        listed(with_block(content, kind))


def test_a_block_made_for_these_tests_is_read():
    assert listed(with_block(made.block([(b"a", b"1")]))) == [(b"a", b"1")]


# snappy


def compressed(size, *elements):
    return made.number(size) + b"".join(elements)


@pytest.mark.parametrize("size", [1, 60, 61, 256, 257, 70_000, 1 << 17])
def test_literals_of_any_length_come_back(size):
    text = bytes(n * 7 & 0xFF for n in range(size))
    assert snappy.decompress(compressed(size, made.snappy_literal(text))) == text


def test_a_literal_of_four_length_bytes_comes_back():
    element = bytes([63 << 2]) + (2).to_bytes(4, "little") + b"abc"
    assert snappy.decompress(compressed(3, element)) == b"abc"


@pytest.mark.parametrize(
    ("width", "length", "back"),
    [(1, 4, 8), (1, 11, 300), (1, 4, 2047), (2, 1, 1), (2, 64, 5000), (4, 64, 70_000), (4, 1, 1)],
)
def test_copies_with_offsets_of_any_width_come_back(width, length, back):
    text = bytes(n * 31 + (n >> 8) & 0xFF for n in range(max(back, length) + 10))
    element = made.snappy_copy(length, back, width)
    got = snappy.decompress(compressed(len(text) + length, made.snappy_literal(text), element))
    start = len(text) - back
    assert got == text + text[start : start + length]


@pytest.mark.parametrize(("length", "back"), [(11, 1), (10, 3), (64, 2), (9, 8)])
def test_a_copy_may_overlap_what_it_writes(length, back):
    text = b"0123456789"
    width = 1 if length <= 11 else 2
    data = compressed(10 + length, made.snappy_literal(text), made.snappy_copy(length, back, width))
    out = bytearray(text)
    for _ in range(length):
        out.append(out[-back])
    assert snappy.decompress(data) == bytes(out)


@given(st.lists(st.sampled_from([b"a", b"ab", b"kernel/", b"\0\0\0\0", b"xyz"]), max_size=200))
def test_what_a_compressor_makes_comes_back(words):
    text = b"".join(words)
    assert snappy.decompress(made.snappy(text)) == text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x80",
        compressed(5, made.snappy_literal(b"abc")),
        compressed(2, made.snappy_literal(b"abc")),
        compressed(3, b"\x08ab"),
        compressed(9, made.snappy_literal(b"abcde"), made.snappy_copy(4, 6, 1)),
        compressed(9, made.snappy_literal(b"abcde"), made.snappy_copy(4, 0, 1)),
        compressed(9, made.snappy_literal(b"abcde"), b"\x0e\x01"),
        compressed(9, made.snappy_literal(b"abcde"), b"\x01"),
        compressed(1 << 32, made.snappy_literal(b"abcde")),
        compressed(5, b"\xfc\xff\xff\xff\xff"),
    ],
)
def test_damaged_snappy_is_refused(data):
    with pytest.raises(WireFault):
        snappy.decompress(data)


@given(st.binary(max_size=80))
def test_any_bytes_are_decompressed_or_refused(data):
    with contextlib.suppress(WireFault):
        assert isinstance(snappy.decompress(data), bytes)


@pytest.mark.alone
def test_copies_from_far_back_take_no_longer_than_near_ones():
    """Four megabytes of text; a copy of a few bytes must not copy all that lies between."""
    text = bytes(range(256)) * (1 << 14)
    copies = made.snappy_copy(4, len(text), 4) * 20_000
    data = compressed(len(text) + 80_000, made.snappy_literal(text), copies)
    started = time.monotonic()
    assert snappy.decompress(data)[len(text) : len(text) + 4] == text[:4]
    assert time.monotonic() - started < 1.5


# ordered codes


SHAPES = [
    ("4", (("0,2", (0, 2)),)),
    ("4", (("2,2", (2, 2)),)),
    ("10 4", (("0,5", (0, 5)), ("-", (0, -1)))),
    ("10 4", (("-", (0, -1)), ("3,1", (3, 1)))),
    ("300 2 70000", (("200,100", (200, 100)), ("1,1", (1, 1)), ("65536,64", (65_536, 64)))),
    ("5000000 1", (("4000000,1000000", (4_000_000, 1_000_000)), ("-", (0, -1)))),
]


@pytest.mark.parametrize("name", ["w", "scope/w/part", "größe/世", "a\x01b", "w\x00v"])
@pytest.mark.parametrize(("shape", "extents"), SHAPES)
def test_slice_keys_are_those_tensorflow_writes(tmp_path, name, shape, extents):
    sizes = [length if length >= 0 else int(dim) for dim, (_, (_, length)) in
             zip(shape.split(), extents, strict=True)]  # fmt: skip
    text = f"{shape} {':'.join(spelled for spelled, _ in extents)}"
    part = tf.zeros(sizes, tf.int8)
    prefix = made.save(tmp_path / "model", {f"{name}": part}, {name: text})
    (key,) = [k for k, _ in made.entries_of(made.index(prefix)) if k.startswith(b"\0")]
    assert decode_slice_key(key) == (name, tuple(extent for _, extent in extents))
    assert key.startswith(slice_key_prefix(name))


def signed(value):
    """A signed number the way OrderedCode writes it, from its description."""
    magnitude = ~value if value < 0 else value
    size = 1
    while magnitude >> (7 * size - 1):
        size += 1
    ones = ((1 << size) - 1) << (8 * size - size)
    spelled = (magnitude | ones).to_bytes(size, "big")
    return bytes(b ^ 0xFF for b in spelled) if value < 0 else spelled


@given(st.lists(st.tuples(st.integers(0, 1 << 61), st.integers(-1, 1 << 61)), max_size=4))
def test_extents_of_any_size_come_back(extents):
    rank = bytes([1, len(extents)]) if extents else b"\0"
    key = slice_key_prefix("w") + rank + b"".join(signed(n) for e in extents for n in e)
    assert decode_slice_key(key) == ("w", tuple(extents))


@given(st.binary(max_size=40))
def test_any_key_is_decoded_or_refused(tail):
    try:
        name, extents = decode_slice_key(b"\0" + tail)
    except WireFault:
        return
    assert isinstance(name, str)
    assert all(len(extent) == 2 for extent in extents)


@pytest.mark.parametrize("key", [b"", b"\0", b"\0w", b"\0w\0\1", b"\0w\0\1\1", b"\0w\0\1\1\2\x80"])
def test_a_key_that_is_cut_off_is_refused(key):
    with pytest.raises(WireFault):
        decode_slice_key(key)


def test_names_that_begin_alike_have_different_prefixes():
    assert not slice_key_prefix("w/part").startswith(slice_key_prefix("w"))
