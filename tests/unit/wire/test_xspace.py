"""XPlane as columns, against TensorFlow's own parse of the same bytes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_messages import messages
from tensorflow.tsl.profiler.protobuf import xplane_pb2

from tfprof.wire.fields import WireFault, whole
from tfprof.wire.xspace import event_stats, name_stats, read_plane
from tfprof.wire.xstats import DOUBLE, RAW, STRING

SAMPLES = ["slow-cb", "fast-xla", "tiny-pytracer", "tiny-htl1", "synthetic-gpu"]
FIELD_OF_KIND = {
    0: None, 2: "double_value", 3: "uint64_value", 4: "int64_value",
    5: "str_value", 6: "bytes_value", 7: "ref_value",
}  # fmt: skip


def planes_of(data):
    found = whole(data).repeated(1)
    return [
        read_plane(data, start, end)
        for start, end in zip(found.start.tolist(), found.end.tolist(), strict=True)
    ]


@pytest.fixture(scope="module", params=SAMPLES)
def capture(request, samples):
    """A file, our columns of it, and TensorFlow's parse."""
    data = (samples / f"xplane/{request.param}.xplane.pb").read_bytes()
    return data, planes_of(data), xplane_pb2.XSpace.FromString(data)


def _sorted_events(line):
    return sorted(line.events, key=lambda e: (e.offset_ps, -e.duration_ps))


def check_plane(data, ours, theirs):
    assert (ours.id, ours.name) == (theirs.id, theirs.name)
    lines = ours.lines
    assert lines.id.tolist() == [line.id for line in theirs.lines]
    assert lines.name == [line.name for line in theirs.lines]
    assert lines.display_name == [line.display_name for line in theirs.lines]
    assert lines.display_id.tolist() == [line.display_id for line in theirs.lines]
    assert lines.timestamp_ns.tolist() == [line.timestamp_ns for line in theirs.lines]
    assert lines.duration_ps.tolist() == [line.duration_ps for line in theirs.lines]
    assert np.diff(lines.first).tolist() == [len(line.events) for line in theirs.lines]
    events = [event for line in theirs.lines for event in _sorted_events(line)]
    assert ours.events.offset_ps.tolist() == [event.offset_ps for event in events]
    assert ours.events.duration_ps.tolist() == [event.duration_ps for event in events]
    assert ours.events.occurrences.tolist() == [event.num_occurrences for event in events]
    known = {key: value.name for key, value in theirs.event_metadata.items()}
    names = [ours.event_names.name[row] for row in ours.events.name.tolist()]
    assert names == [known.get(event.metadata_id, "") for event in events]
    check_stats(data, ours, event_stats(data, ours, np.arange(len(ours.events))), events, theirs)
    check_stats(data, ours, ours.stats, [theirs], theirs)
    owners = [theirs.event_metadata[key] for key in ours.event_names.id.tolist()]
    check_stats(data, ours, name_stats(data, ours), owners, theirs)


def check_stats(data, ours, table, owners, plane):
    """Every stat of every owner, in the file's order."""
    found = {}
    for row in range(len(table)):
        name = ours.stat_names.name[int(table.name[row])]
        value = _value(data, table, row)
        found.setdefault(int(table.owner[row]), []).append((name, int(table.kind[row]), value))
    known = {key: value.name for key, value in plane.stat_metadata.items()}
    for number, owner in enumerate(owners):
        expected = []
        for stat in owner.stats:
            field = stat.WhichOneof("value")
            kind = next(k for k, name in FIELD_OF_KIND.items() if name == field)
            value = getattr(stat, field) if field else 0
            expected.append((known.get(stat.metadata_id, ""), kind, _comparable(value)))
        assert found.pop(number, []) == expected
    assert not found


def _value(data, table, row):
    kind, value = int(table.kind[row]), table.value[row : row + 1]
    if kind in (STRING, RAW):
        return data[int(value[0]) : int(value[0]) + int(table.size[row])]
    return _comparable(float(value.view(np.float64)[0])) if kind == DOUBLE else int(value[0])


def _comparable(value):
    """Strings as bytes, integers as 64-bit patterns; a NaN equals itself by its name."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, float):
        return repr(value)
    return value if isinstance(value, bytes) else value % (1 << 64)


def test_every_column_of_every_plane_is_what_tensorflow_reads(capture):
    data, planes, space = capture
    assert len(planes) == len(space.planes)
    for ours, theirs in zip(planes, space.planes, strict=True):
        check_plane(data, ours, theirs)


@settings(max_examples=150, deadline=None)
@given(st.lists(messages("XPlane"), max_size=3))
def test_random_planes_are_read_as_tensorflow_reads_them(made):
    space = xplane_pb2.XSpace()
    for plane in made:
        space.planes.add().MergeFromString(plane.SerializeToString())
    data = space.SerializeToString()
    for ours, theirs in zip(planes_of(data), space.planes, strict=True):
        check_plane(data, ours, theirs)


def _many(count, **line):
    space = xplane_pb2.XSpace()
    plane = space.planes.add(name="/host:CPU")
    plane.event_metadata[7].name = "seven"
    plane.stat_metadata[1].name = "id"
    line = plane.lines.add(**line)
    for number in range(count):
        event = line.events.add(metadata_id=7, offset_ps=number << 40, duration_ps=5)
        event.stats.add(metadata_id=1, uint64_value=(1 << 64) - 1 - number)
    return space


def test_times_of_more_than_a_word_and_ids_above_signed_range_are_kept():
    space = _many(100)
    space.planes[0].lines[0].events[99].offset_ps = (1 << 63) - 1
    data = space.SerializeToString()
    (plane,) = planes_of(data)
    check_plane(data, plane, space.planes[0])


@pytest.mark.parametrize("count", [1, 5, 40])
def test_all_stats_of_few_events_are_found(count):
    space = _many(count)
    for event in space.planes[0].lines[0].events:
        event.stats.add(metadata_id=1, str_value="second")
        event.stats.add()
    data = space.SerializeToString()
    (plane,) = planes_of(data)
    check_plane(data, plane, space.planes[0])


def test_events_out_of_order_are_sorted_within_their_line():
    space = _many(40)
    events = space.planes[0].lines[0].events
    events[3].offset_ps, events[30].offset_ps = events[30].offset_ps, events[3].offset_ps
    events[5].offset_ps = events[6].offset_ps
    events[6].duration_ps = 9
    space.planes[0].lines.add(name="other").events.add(metadata_id=7, offset_ps=1)
    data = space.SerializeToString()
    (plane,) = planes_of(data)
    check_plane(data, plane, space.planes[0])
    assert plane.events.duration_ps.tolist()[5:7] == [9, 5]


def test_events_that_were_only_counted_have_a_number_behind_their_stats():
    space = _many(30)
    space.planes[0].lines[0].events[4].num_occurrences = 12
    data = space.SerializeToString()
    (plane,) = planes_of(data)
    check_plane(data, plane, space.planes[0])
    assert plane.events.occurrences.sum() == 12


def test_lines_that_are_merged_on_the_wire_are_one():
    space = _many(30)
    head = xplane_pb2.XLine(name="late name", id=4).SerializeToString()
    line = space.planes[0].lines[0].SerializeToString() + head
    merged = xplane_pb2.XLine.FromString(line)
    del space.planes[0].lines[:]
    body = b"\x1a" + _varint(len(line)) + line + space.planes[0].SerializeToString()
    data = b"\x0a" + _varint(len(body)) + body
    (plane,) = planes_of(data)
    assert plane.lines.name == [merged.name]
    assert len(plane.events) == 30


def _varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def test_a_broken_event_is_a_fault_with_its_place():
    data = bytearray(_many(200).SerializeToString())
    at = bytes(data).index(b"\x08\x07\x10")
    data[at] = 0x0F
    with pytest.raises(WireFault) as caught:
        planes_of(bytes(data))
    assert caught.value.offset == at
