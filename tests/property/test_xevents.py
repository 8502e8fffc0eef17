"""Events in every legal encoding: the columns are what protobuf itself reads of the same bytes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorflow.tsl.profiler.protobuf import xplane_pb2

from tfprof.wire import xspace
from tfprof.wire.fields import whole

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
# ids that the plane names: of one, two, three and ten bytes
NAMES = {1: "one", 127: "two", 128: "three", 16_383: "four", 16_384: "five", -1: "minus one"}


def varint(value, padding=0, most=10):
    """With bytes that add nothing, if there is room: they are legal."""
    value %= 1 << 64
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    padding = min(padding, most - len(out))
    if padding > 0:
        out[-1] |= 0x80
        out += b"\x80" * (padding - 1) + b"\x00"
    return bytes(out)


def sized(number, content, padding=0):
    return varint(number << 3 | BYTES) + varint(len(content), padding, most=5) + content


sizes = st.one_of(*(st.integers(1 << 7 * n >> 7, (1 << 7 * n) - 1) for n in range(1, 10)))
numbers = st.one_of(sizes, st.just(0), st.integers(-(1 << 63), -1))
ids = st.one_of(st.sampled_from(list(NAMES)), st.integers(0, 40_000))
paddings = st.sampled_from([0, 0, 0, 0, 1, 4])


@st.composite
def stats(draw):
    size = draw(st.sampled_from([1, 30, 120, 140]))
    made = xplane_pb2.XStat(metadata_id=draw(st.integers(1, 3)), str_value="x" * size)
    if draw(st.booleans()):
        made = xplane_pb2.XStat(metadata_id=1, uint64_value=draw(sizes))
    return sized(4, made.SerializeToString(), draw(paddings))


def integers(number, values):
    return st.builds(
        lambda value, padding: varint(number << 3) + varint(value, padding), values, paddings
    )


unknown = st.sampled_from([
    varint(7 << 3) + b"\x05", varint(9 << 3 | FIXED64) + bytes(8),
    varint(9 << 3 | FIXED32) + bytes(4), sized(8, b"abc"), varint(1000 << 3) + b"\x01",
    # known numbers with other wire types
    varint(2 << 3 | FIXED64) + bytes(8), b"\x1a\x01\x22",
])  # fmt: skip
anything = st.one_of(integers(1, ids), integers(2, numbers), integers(3, numbers),
                     integers(5, numbers), stats(), unknown)  # fmt: skip
odd = st.lists(anything, max_size=7).map(b"".join)


@st.composite
def usual(draw):
    """As TensorFlow writes them."""
    name = varint(8) + varint(draw(ids))
    offset = draw(st.one_of(st.just(b""), sizes.map(lambda value: b"\x10" + varint(value))))
    duration = draw(st.one_of(st.just(b""), sizes.map(lambda value: b"\x18" + varint(value))))
    return name + offset + duration + b"".join(draw(st.lists(stats(), max_size=3)))


events = st.builds(
    lambda body, padding: sized(4, body, padding), st.one_of(usual(), usual(), odd), paddings
)
# other fields of a line stand between its events; and a tag may have more bytes than it needs
between = st.one_of(
    events,
    events,
    events,
    usual().map(lambda body: b"\xa2\x00" + varint(len(body)) + body),
    st.sampled_from([b"\x10\x07", sized(2, b"name"), b"\x18\x20", varint(50 << 3) + b"\x01"]),
)


def plane_of(line):
    plane = xplane_pb2.XPlane(name="/host:CPU")
    for key, name in NAMES.items():
        plane.event_metadata[key].name = name
    plane.stat_metadata[1].name = "first"
    return sized(1, sized(3, line) + plane.SerializeToString())


@settings(max_examples=120, deadline=None)
@given(st.lists(between, min_size=1, max_size=12), st.sampled_from([1, 1, 6]))
def test_events_are_read_as_protobuf_reads_them(parts, times):
    """Several times over, so that there are enough of them for every way of reading."""
    data = plane_of(b"".join(parts) * times)
    (theirs,) = xplane_pb2.XSpace.FromString(data).planes
    (line,) = theirs.lines
    found = whole(data).repeated(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xspace, "in_order", lambda _, events: events)  # as they stand in the file
        ours = xspace.read_plane(data, int(found.start[0]), int(found.end[0]))
    columns = ours.events
    assert len(columns) == len(line.events)
    names = [ours.event_names.name[row] for row in columns.name.tolist()]
    assert names == [NAMES.get(event.metadata_id, "") for event in line.events]
    assert columns.duration_ps.tolist() == [event.duration_ps for event in line.events]
    for row, event in enumerate(line.events):
        # of the two ways to say when, protobuf keeps the later one and we keep both
        if event.WhichOneof("data") != "num_occurrences":
            assert columns.offset_ps[row] == event.offset_ps
        if event.WhichOneof("data") != "offset_ps":
            assert columns.occurrences[row] == event.num_occurrences
    owners = xspace.event_stats(data, ours, np.arange(len(columns))).owner
    assert np.bincount(owners, minlength=len(columns)).tolist() == [
        len(event.stats) for event in line.events
    ]
