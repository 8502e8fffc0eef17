"""Stats of events that lie far apart in a mapped file are those that are read from bytes."""

import numpy as np
import pytest

from tfprof.wire import far_apart
from tfprof.wire.far_apart import are_far_apart, read_far_apart
from tfprof.wire.fields import WireFault, whole
from tfprof.wire.ids import Ids
from tfprof.wire.mapped import Mapped
from tfprof.wire.xspace import event_stats, read_plane
from tfprof.wire.xstats import read_stats

EVENT_STATS = 4
NO_NAMES = Ids(np.zeros(0, np.int64))


def mapped(path):
    with path.open("rb") as file:
        return Mapped.of(file.fileno(), path.stat().st_size, str(path))


def planes_of(data):
    found = whole(data).repeated(1)
    spans = zip(found.start.tolist(), found.end.tolist(), strict=True)
    return [read_plane(data, start, end) for start, end in spans]


def columns(table):
    return [getattr(table, one).tolist() for one in ("owner", "name", "kind", "value", "size")]


@pytest.mark.parametrize("name", ["slow-cb", "fast-xla", "tiny-pytracer", "synthetic-gpu"])
def test_stats_of_a_mapped_file_are_those_of_its_bytes(samples, name, monkeypatch):
    path = samples / f"xplane/{name}.xplane.pb"
    data, far = path.read_bytes(), mapped(path)
    monkeypatch.setattr(far_apart, "_NEAR", 0)
    for plane in planes_of(data):
        rows = np.arange(0, len(plane.events), max(1, len(plane.events) // 500))
        starts = plane.events.stats_start[rows]
        if len(rows):
            assert are_far_apart(far, starts, starts + 1)
        assert columns(event_stats(far, plane, rows)) == columns(event_stats(data, plane, rows))


def test_a_broken_stat_is_told_by_its_place_in_the_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(1000) + b"\x22\x02\x08\x01" + bytes(100) + b"\x22\x02\x08\xff")
    spans = np.array([1000, 1104], np.int64), np.array([1004, 1108], np.int64)
    said = []
    for read in (read_stats, read_far_apart):
        with pytest.raises(WireFault) as caught:
            read(mapped(path), *spans, EVENT_STATS, NO_NAMES)
        said.append((caught.value.what, caught.value.offset))
    assert said[0] == said[1]


def test_what_is_near_or_in_memory_is_read_where_it_is(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(1000))
    spans = np.array([0, 900], np.int64), np.array([1, 901], np.int64)
    assert not are_far_apart(mapped(path), *spans)
    assert not are_far_apart(path.read_bytes(), *spans)
