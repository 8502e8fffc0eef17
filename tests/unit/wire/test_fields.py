"""Splitting messages into fields, many at once and one by one, against protobuf."""

import numpy as np
import pytest
from google.protobuf.empty_pb2 import Empty
from google.protobuf.unknown_fields import UnknownFieldSet
from hypothesis import given, settings
from hypothesis import strategies as st
from random_messages import any_message, messages

from tfprof.wire.fields import WireFault, split, varint, whole
from tfprof.wire.schema import BYTES, FIXED32, FIXED64, VARINT, message_class

# so many messages go in lock-step, fewer go one by one
MANY = 24

NUMBERS = st.one_of(
    st.integers(1, 15), st.integers(16, 2047), st.sampled_from([2048, 262_144, (1 << 29) - 1])
)
VARINTS = st.one_of(
    st.integers(0, 300),
    st.integers(0, (1 << 64) - 1),
    st.sampled_from([127, 128, 16_383, 16_384, (1 << 32), (1 << 63), (1 << 64) - 1]),
)
PAYLOADS = st.one_of(
    st.binary(max_size=8),
    st.sampled_from([b"", b"x" * 127, b"x" * 128, b"x" * 16_383, b"x" * 16_384]),
)


def _varint(value, padding=0):
    """As the wire has it; `padding` more bytes than needed, which the format allows."""
    out = bytearray()
    while value > 0x7F or padding > 0:
        if value <= 0x7F:
            padding -= 1
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


@st.composite
def _fields(draw):
    kind = draw(st.sampled_from([VARINT, FIXED64, BYTES, FIXED32]))
    tag = _varint(draw(NUMBERS) << 3 | kind)
    if kind == VARINT:
        value = draw(VARINTS)
        room = 10 - len(_varint(value))
        return tag + _varint(value, draw(st.integers(0, room)))
    if kind == BYTES:
        payload = draw(PAYLOADS)
        return tag + _varint(len(payload), draw(st.integers(0, 2))) + payload
    return tag + draw(st.binary(min_size=(size := 8 if kind == FIXED64 else 4), max_size=size))


MESSAGES = st.lists(_fields(), max_size=6).map(b"".join)


def _by_protobuf(message):
    """Number, wire type and value of each field, in order. An Empty knows none of them."""
    unknown = UnknownFieldSet(Empty.FromString(message))
    return [(field.field_number, field.wire_type, field.data) for field in unknown]


def _by_us(data, fields, owner):
    return [_row(data, fields, row) for row in np.flatnonzero(fields.owner == owner).tolist()]


def _row(data, fields, row):
    kind = int(fields.kind[row])
    payload = data[int(fields.start[row]) : int(fields.end[row])]
    value = {
        VARINT: lambda: int(fields.value[row]),
        BYTES: lambda: payload,
        FIXED32: lambda: int.from_bytes(payload, "little"),
        FIXED64: lambda: int.from_bytes(payload, "little"),
    }[kind]()
    return int(fields.number[row]), kind, value


def _laid_out(parts, gap=b""):
    """Messages one after the other, with something between them; where each is."""
    starts, ends, data = [], [], gap
    for part in parts:
        starts.append(len(data))
        data += part
        ends.append(len(data))
        data += gap
    return data, np.array(starts, np.int64), np.array(ends, np.int64)


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(st.lists(MESSAGES, max_size=4), st.lists(MESSAGES, min_size=MANY, max_size=40)),
    st.binary(max_size=3),
)
def test_every_field_of_every_message_is_what_protobuf_finds(parts, gap):
    data, starts, ends = _laid_out(parts, gap)
    fields = split(data, starts, ends)
    for owner, part in enumerate(parts):
        assert _by_us(data, fields, owner) == _by_protobuf(part)
    assert len(fields) == sum(len(_by_protobuf(part)) for part in parts)


@settings(max_examples=100, deadline=None)
@given(any_message())
def test_a_message_of_ours_splits_as_protobuf_does(named):
    data = named[1].SerializeToString()
    assert _by_us(data, whole(data), 0) == _by_protobuf(data)


@settings(max_examples=40, deadline=None)
@given(st.lists(messages("NodeExecStats", depth=0), min_size=1, max_size=60))
def test_columns_of_integers_are_the_values_of_the_messages(nodes):
    data, starts, ends = _laid_out([node.SerializeToString() for node in nodes])
    fields = split(data, starts, ends)
    for number, name in ((2, "all_start_micros"), (4, "op_end_rel_micros"), (10, "thread_id")):
        assert fields.ints(number, len(nodes)).tolist() == [getattr(node, name) for node in nodes]
    begin, end = fields.spans(1, len(nodes))
    names = [data[a:b].decode() for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
    assert names == [node.node_name for node in nodes]


@pytest.mark.parametrize("count", [1, MANY - 1, MANY, 100])
def test_repeated_fields_come_message_after_message_in_their_order(count):
    node = message_class("NodeDef")
    nodes = [node(name=f"n{i}", input=[f"{i}:{k}" for k in range(i % 5)]) for i in range(count)]
    data, starts, ends = _laid_out([node.SerializeToString() for node in nodes])
    inputs = split(data, starts, ends).repeated(3)
    spans = zip(inputs.start.tolist(), inputs.end.tolist(), strict=True)
    assert [data[a:b].decode() for a, b in spans] == [i for node in nodes for i in node.input]
    assert inputs.owner.tolist() == [i for i, node in enumerate(nodes) for _ in node.input]


@pytest.mark.parametrize("count", [1, MANY])
def test_a_negative_integer_stays_negative(count):
    part = message_class("NodeExecStats")(all_start_micros=-5).SerializeToString()
    assert len(part) == 11
    data, starts, ends = _laid_out([part] * count)
    assert split(data, starts, ends).ints(2, count).tolist() == [-5] * count


@pytest.mark.parametrize("count", [1, MANY])
def test_the_last_of_a_singular_field_given_twice_wins(count):
    stats = message_class("NodeExecStats")
    part = stats(node_name="a", all_start_micros=1).SerializeToString()
    part += stats(node_name="bcd", all_start_micros=2).SerializeToString()
    data, starts, ends = _laid_out([part] * count)
    fields = split(data, starts, ends)
    assert fields.ints(2, count).tolist() == [2] * count
    begin, end = fields.spans(1, count)
    assert {data[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)} == {b"bcd"}


@pytest.mark.parametrize("count", [1, MANY])
def test_a_field_of_another_wire_type_is_passed_over(count):
    part = b"\x12\x01x" + b"\x10\x07"
    data, starts, ends = _laid_out([part] * count)
    assert split(data, starts, ends).ints(2, count).tolist() == [7] * count
    begin, end = split(data, starts, ends).spans(2, count)
    assert {data[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)} == {b"x"}


@pytest.mark.parametrize("count", [0, 1, MANY])
def test_messages_of_nothing_have_no_fields(count):
    fields = split(b"", np.zeros(count, np.int64), np.zeros(count, np.int64))
    assert len(fields) == 0
    assert fields.ints(1, count).tolist() == [0] * count


def test_one_long_message_among_many_short_ones_is_read_to_its_end():
    node = message_class("NodeDef")
    parts = [node(name=str(i)).SerializeToString() for i in range(MANY)]
    inputs = [str(i) for i in range(1000)]
    parts.insert(7, node(name="long", input=inputs).SerializeToString())
    data, starts, ends = _laid_out(parts)
    fields = split(data, starts, ends)
    for owner, part in enumerate(parts):
        assert _by_us(data, fields, owner) == _by_protobuf(part)


GOOD = b"\x0a\x02ab"
# as many fields as the faulty messages below, so that the fault is met in lock-step
LONGER = GOOD * 4
FAULTS = {
    "the tag is zero": (b"\x00\x01", "no field starts like this"),
    "the field number is zero": (b"\x02\x01x", "no field starts like this"),
    "the field number is too large": (b"\x80\x80\x80\x80\x10\x01", "no field starts like this"),
    "a group begins": (b"\x0b\x01", "no field starts like this"),
    "a group ends": (b"\x0c\x01", "no field starts like this"),
    "the wire type is 6": (b"\x0e\x01", "no field starts like this"),
    "the wire type is 7": (b"\x0f\x01", "no field starts like this"),
    "the length passes the end": (b"\x0a\x05abc", "longer than the message"),
    "the length is enormous": (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "longer than"),
    "a fixed64 passes the end": (b"\x09\x01\x02\x03", "longer than the message"),
    "a fixed32 passes the end": (b"\x0d\x01\x02\x03", "longer than the message"),
}


@pytest.mark.parametrize("count", [1, MANY])
@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_is_named_with_the_byte_where_its_field_begins(what, count):
    bad, message = FAULTS[what]
    # the bad one comes first; the others are fine, and so are the bytes after it
    data, starts, ends = _laid_out([GOOD + bad, *[LONGER] * (count - 1)], gap=b"\x08\x08\x08")
    with pytest.raises(WireFault, match=message) as caught:
        split(data, starts, ends)
    assert caught.value.offset == int(starts[0]) + len(GOOD)
    assert not caught.value.early_end


@pytest.mark.parametrize("count", [1, MANY])
def test_a_number_of_more_than_ten_bytes_is_a_fault_inside_its_field(count):
    bad = b"\x08" + b"\xff" * 10 + b"\x01"
    data, starts, ends = _laid_out([GOOD + bad, *[LONGER] * (count - 1)], gap=b"\x08\x08\x08")
    with pytest.raises(WireFault, match="more than ten bytes") as caught:
        split(data, starts, ends)
    assert int(starts[0]) + len(GOOD) <= caught.value.offset < int(ends[0])
    assert not caught.value.early_end


@pytest.mark.parametrize("count", [1, MANY])
def test_eight_high_bytes_of_a_fixed64_are_no_number_that_never_ends(count):
    """A double may look like the beginning of a varint, whatever follows it."""
    part = b"\x09" + b"\xff" * 8 + b"\xfa\xff\xff\xff\x0f\x00"
    data, starts, ends = _laid_out([part] * count)
    fields = split(data, starts, ends)
    for owner in range(count):
        assert _by_us(data, fields, owner) == _by_protobuf(part)


@pytest.mark.parametrize("count", [1, MANY])
@pytest.mark.parametrize(
    "cut", [b"\x0a", b"\x0a\x05abc", b"\x08", b"\x08\x80", b"\x80", b"\x09\x01", b"\x0a\x80"]
)
def test_a_field_that_the_data_ends_in_is_an_early_end(cut, count):
    data, starts, ends = _laid_out([*[LONGER] * (count - 1), GOOD + cut])
    with pytest.raises(WireFault) as caught:
        split(data, starts, ends)
    assert caught.value.early_end
    assert caught.value.offset == len(data) - len(cut)


@pytest.mark.parametrize("count", [1, MANY])
def test_a_field_that_passes_its_message_but_not_the_data_is_no_early_end(count):
    data, starts, ends = _laid_out(
        [GOOD + b"\x0a\x05abc", *[LONGER] * (count - 1)], gap=b"........"
    )
    with pytest.raises(WireFault) as caught:
        split(data, starts, ends)
    assert not caught.value.early_end


def _outcome(read):
    try:
        fields = read()
    except WireFault as fault:
        return fault.early_end, fault.offset
    return sorted(
        zip(
            fields.owner.tolist(),
            fields.start.tolist(),
            fields.end.tolist(),
            fields.number.tolist(),
            fields.kind.tolist(),
            strict=True,
        )
    )


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=24), MESSAGES.map(lambda m: m[:-1]), MESSAGES))
def test_lock_step_and_loop_come_to_the_same_end(part):
    parts = [part, *[GOOD * 30] * (MANY - 1)]
    data, starts, ends = _laid_out(parts, gap=b"\x08\x08\x08\x08")
    in_lock_step = _outcome(lambda: split(data, starts, ends))
    one_by_one = _outcome(lambda: split(data, starts[:1], ends[:1]))
    if isinstance(one_by_one, tuple):
        assert in_lock_step == one_by_one
    else:
        assert [row for row in in_lock_step if row[0] == 0] == one_by_one


@given(VARINTS, st.integers(0, 9))
def test_varint_reads_what_was_written(value, padding):
    data = b"\xff" + _varint(value, min(padding, 10 - len(_varint(value)))) + b"\x01"
    assert varint(data, 1) == (value, len(data) - 1)


def test_varint_past_the_data_is_an_index_error():
    with pytest.raises(IndexError):
        varint(b"\x80\x80", 0)


def test_progress_hears_rising_positions():
    # large enough for several reports: there is one for each 16 MB
    node = message_class("NodeDef")(name="x" * 250).SerializeToString()
    graph = b"".join(b"\x0a" + _varint(len(node)) + node for _ in range(200_000))
    heard = []
    fields = whole(graph, heard.append)
    assert len(fields) == 200_000
    assert len(heard) >= 3
    assert heard == sorted(heard)
    assert heard[-1] <= len(graph)
