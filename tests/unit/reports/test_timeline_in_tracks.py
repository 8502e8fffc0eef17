"""A capture for the page: all of it if there is room, else merged, and that is said."""

import numpy as np
import pytest
from page_data import unpacked

from tfprof.renderers.page.pack import packed
from tfprof.reports.timeline.in_tracks import in_tracks
from tfprof.sources.find.load import Request, read_one


@pytest.fixture(scope="module")
def slow(samples):
    return read_one(Request([samples / "xplane" / "slow-cb.xplane.pb"]))


def test_all_of_it_where_there_is_room(slow):
    found = in_tracks(slow, 9_000_000)
    finest = found.levels[0]
    assert (found.merged, len(finest.start)) == (0, found.events)
    assert sum(one.events for one in found.lanes) == found.events
    assert finest.first[-1] == found.events
    assert sum(one.tracks for one in found.lanes) == len(finest.first) - 1
    assert [one.number for one in found.steps] == list(range(2, 10))


def test_own_times_of_names_are_those_of_the_lanes(slow):
    found = in_tracks(slow, 9_000_000)
    # nested times add up to those of the outermost
    assert found.names.own_us.sum() == pytest.approx(sum(one.busy_us for one in found.lanes))
    assert found.names.count.sum() == found.events


def test_within_its_room_and_says_what_was_merged(slow):
    room = 40_000
    found = in_tracks(slow, room)
    assert found.merged > 0
    assert any("merged" in note and f"{found.merged:,} of {found.events:,}" in note
               for note in found.notes)  # fmt: skip
    finest = found.levels[0]
    assert np.maximum(finest.count, 1).sum() == found.events
    level = unpacked(packed({"level": finest}))["level"]
    assert len(packed({"level": finest})) * 4 / 3 < room
    assert np.cumsum(level["start"].astype(np.uint32), dtype=np.uint32).tolist() == (
        finest.start.tolist()
    )


def test_what_is_said_of_an_event_stands_with_it(samples):
    data = read_one(Request([samples / "xplane" / "synthetic-gpu.xplane.pb"]))
    found = in_tracks(data, 9_000_000)
    assert found.processes[0].is_device
    assert found.args
    assert all(0 <= row < found.events for row in found.args)


def test_memory_keeps_its_highest_value(samples):
    data = read_one(Request([samples / "xplane" / "fast-trace-bfc.xplane.pb"]))
    found = in_tracks(data, 9_000_000)
    assert found.counters
    assert all(len(one.time) <= 3_100 for one in found.counters)
    assert all((np.diff(one.time) >= 0).all() for one in found.counters)


def test_a_run_of_a_session(unet):
    found = in_tracks(read_one(Request([unet])), 9_000_000)
    assert found.counters
    assert [one.number for one in found.steps]
    assert found.quantum_ns == -(-found.span * found.quantum_ns // (1 << 32))
