"""Tracks without overlaps, and levels of detail that lose no event and no time."""

import random

import numpy as np
import pytest

from tfprof.analyses.timeline.event_filters import Filters
from tfprof.analyses.timeline.levels import Level, at_most, coarser
from tfprof.analyses.timeline.tracks import tracks
from tfprof.model.interned import Interned
from tfprof.model.made_planes import MadeEvents, made_plane
from tfprof.model.xspace import Environment, Space


def _space(seed, count):
    rng = random.Random(seed)  # noqa: S311
    events = [(rng.randrange(3), rng.randrange(500), rng.randrange(60)) for _ in range(count)]
    events.sort(key=lambda one: (one[0], one[1], -one[2]))
    line, start, duration = (np.array(column, np.int64) for column in zip(*events, strict=True))
    names = Interned.of([f"op_{at % 7}" for at in range(count)])
    made = MadeEvents(line, names, start, duration, {})
    planes = (
        made_plane("", "/host:CPU", ["a", "b", "c"], made),
        made_plane("", "/device:GPU:0", ["s1", "s2", "s3"], made),
    )
    return Space(planes, 0, {"": Environment()})


@pytest.mark.parametrize("seed", range(20))
def test_nothing_overlaps_in_a_track_and_nothing_is_lost(seed):
    space = _space(seed, 80)
    found = tracks(space, Filters())
    assert len(found) == space.event_count
    track = found.track
    for number in np.unique(track).tolist():
        mine = track == number
        start, end = found.start[mine], (found.start + found.duration)[mine]
        assert (start[1:] >= end[:-1]).all()
        assert len(set(zip(found.lane[mine], found.depth[mine], strict=True))) == 1


def test_devices_come_first_and_the_busiest_thread_before_the_others():
    found = tracks(_space(1, 60), Filters())
    planes = [one.plane for one in found.lanes]
    assert planes == sorted(planes, reverse=True)
    busy = [found.duration[found.lane == at].sum() for at in range(len(found.lanes))]
    threads = {one.line: 0 for one in found.lanes if one.plane == 0}
    for at, one in enumerate(found.lanes):
        if one.plane == 0:
            threads[one.line] += int(busy[at])
    assert list(threads.values()) == sorted(threads.values(), reverse=True)


def _level(seed, count=2000):
    rng = np.random.default_rng(seed)
    track = np.sort(rng.integers(0, 5, count))
    gaps, duration = rng.integers(0, 40, count), rng.integers(0, 60, count) ** 2 // 50
    ends = np.cumsum(gaps + duration)
    return Level.exact(track, ends - duration, duration, rng.integers(0, 9, count))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("grain", [1, 10, 1000])
def test_a_coarser_level_has_all_events_and_all_time(seed, grain):
    exact = _level(seed)
    made = exact.merged(grain)
    assert made.count.sum() == len(exact)
    assert made.busy.sum() == exact.duration.sum()
    # what is as long as the grain stands for itself
    alone = made.count == 1
    long = exact.duration >= grain
    assert set(exact.start[long]) <= set(made.start[alone])
    # within a track in order, without overlaps; a stretch is no longer than a few grains
    same = np.diff(made.track) == 0
    assert ((made.start + made.duration)[:-1][same] <= made.start[1:][same]).all()
    assert (made.duration[~alone] <= 3 * grain).all()


def test_the_longest_names_a_stretch():
    zero = np.zeros(3, np.int64)
    exact = Level.exact(zero, np.array([0, 10, 30]), np.array([3, 9, 4]), np.array([5, 6, 7]))
    assert exact.merged(100).name.tolist() == [6]


def test_levels_get_coarser_until_all_can_be_drawn():
    exact = _level(3, 200_000)
    assert at_most(exact, 300_000, 1) is exact
    finest = at_most(exact, 60_000, 4)
    levels = [finest, *coarser(finest, 4)]
    sizes = [len(one) for one in levels]
    assert sizes[0] <= 60_000
    assert sizes[-1] <= 20_000
    assert sizes == sorted(sizes, reverse=True)
    assert all(one.count.sum() == 200_000 for one in levels)


def test_a_level_of_nothing():
    none = np.zeros(0, np.int64)
    assert len(Level.exact(none, none, none, none).merged(5)) == 0
