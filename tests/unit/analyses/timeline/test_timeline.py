"""Lanes, flows and the critical path, against answers worked out by hand or by force."""

import random

import numpy as np
import pytest

from tfprof.analyses.timeline.critical_path import DATA, TIME, PathEvents, critical_path
from tfprof.analyses.timeline.flows import flows
from tfprof.analyses.timeline.lanes import lanes, merged
from tfprof.model.interned import Interned
from tfprof.model.made_planes import MadeEvents, made_plane
from tfprof.model.xspace import Environment, Space

MICRO = 1_000_000


def _random_events(seed):
    rng = random.Random(seed)  # noqa: S311
    events = [(rng.randrange(60), rng.randrange(25)) for _ in range(rng.randrange(1, 40))]
    events = sorted(((s, s + d) for s, d in events), key=lambda e: (e[0], -e[1]))
    return tuple(np.array(column, np.int64) for column in zip(*events, strict=True))


@pytest.mark.parametrize("seed", range(200))
def test_no_two_events_of_a_lane_overlap_in_part(seed):
    start, end = _random_events(seed)
    found = lanes(start, end)
    for lane in range(found.max() + 1):
        rows = np.flatnonzero(found == lane).tolist()
        assert rows
        for a in rows:
            for b in rows:
                if start[a] < start[b] < end[a]:
                    assert end[b] <= end[a]


@pytest.mark.parametrize("seed", range(50))
def test_where_nothing_nests_lanes_are_as_many_as_run_at_once(seed):
    start, end = _random_events(seed)
    end = np.maximum(end, start + 1)
    found = lanes(start, end, nested=False)
    at_once = max(int(((start <= t) & (end > t)).sum()) for t in range(90))
    assert found.max() + 1 == at_once
    for lane in range(at_once):
        mine = found == lane
        assert (start[mine][1:] >= end[mine][:-1]).all()


@pytest.mark.parametrize("seed", range(50))
def test_merged_stretches_are_when_something_runs(seed):
    start, end = _random_events(seed)
    busy = {t for a, b in zip(start, end, strict=True) for t in range(a, b)}
    begins, ends = merged(start, end)
    assert {t for a, b in zip(begins, ends, strict=True) for t in range(a, b)} == busy
    assert (begins[1:] > ends[:-1]).all()


def _path(runs, reads, begin=0):
    names, starts, ends = zip(*runs, strict=True)
    made = PathEvents(
        np.arange(len(runs)),
        Interned.of(list(names)),
        np.array(starts, np.int64) * MICRO,
        np.array(ends, np.int64) * MICRO,
    )
    found = critical_path(made, reads.get, begin * MICRO)
    return [(names[link.row], link.by, link.wait // MICRO) for link in found]


def test_the_chain_follows_the_input_that_ended_last():
    runs = [("a", 0, 100), ("b", 0, 400), ("c", 0, 420), ("d", 440, 600)]
    reads = {"d": ["a", "b"], "c": []}
    assert _path(runs, reads) == [("b", "", 0), ("d", DATA, 40)]


def test_an_input_that_ended_long_before_is_not_what_it_waited_for():
    runs = [("a", 0, 100), ("busy", 100, 900), ("d", 900, 1000)]
    assert _path(runs, {"d": ["a"], "busy": ["a"]}) == [
        ("a", "", 0), ("busy", DATA, 0), ("d", TIME, 0)
    ]  # fmt: skip


def test_without_inputs_time_decides():
    runs = [("a", 0, 10), ("b", 0, 30), ("c", 5, 20), ("d", 40, 50)]
    assert _path(runs, {}) == [("b", "", 0), ("d", TIME, 10)]


def test_a_node_that_runs_again_reads_what_was_there_then():
    runs = [("x", 0, 10), ("y", 10, 20), ("x", 20, 30), ("y", 30, 40)]
    assert [name for name, _, _ in _path(runs, {"y": ["x"], "x": ["y"]})] == ["x", "y", "x", "y"]


def test_what_ended_before_the_step_is_not_part_of_it():
    runs = [("a", 0, 10), ("b", 12, 20), ("c", 20, 30)]
    assert [name for name, _, _ in _path(runs, {}, begin=11)] == ["b", "c"]


def test_executions_of_no_duration_end_the_walk():
    runs = [("a", 5, 5), ("b", 5, 5), ("c", 5, 5)]
    found = _path(runs, {"a": ["b"], "b": ["c"], "c": ["a"]})
    assert 1 <= len(found) <= 3


def _space(*planes):
    made = []
    for name, stats, starts in planes:
        count = len(starts)
        columns = {
            key: ([row for row in range(count) if values[row] is not None],
                  [value for value in values if value is not None])
            for key, values in stats.items()
        }  # fmt: skip
        events = MadeEvents(
            np.zeros(count, np.int64),
            Interned.of([f"event {row}" for row in range(count)]),
            np.array(starts, np.int64),
            np.full(count, 5, np.int64),
            columns,
        )
        made.append(made_plane("vm", name, ["line"], events))
    return Space(tuple(made), 0, {"vm": Environment()})


def _pairs(space):
    return [
        (one.kind, int(sp), int(s), int(tp), int(t))
        for one in flows(space)
        for sp, s, tp, t in zip(
            one.source_plane, one.source, one.target_plane, one.target, strict=True
        )
    ]


def test_a_consumer_meets_the_last_producer_of_its_type_and_id_before_it():
    space = _space((
        "/host:CPU",
        {
            "_pt": [1, 1, 2, None, None, None, None],
            "_p": [7, 7, 7, None, None, None, None],
            "_ct": [None, None, None, 1, 1, 2, 1],
            "_c": [None, None, None, 7, 7, 7, 8],
        },
        [0, 10, 20, 5, 30, 40, 50],
    ))  # fmt: skip
    # rows of a plane stand by time: 0, 5, 10, 20, 30, 40, 50
    assert _pairs(space) == [
        ("handed on", 0, 0, 0, 1), ("handed on", 0, 2, 0, 4), ("handed on", 0, 3, 0, 5)
    ]  # fmt: skip


def test_kernels_are_launched_by_the_call_of_their_number():
    space = _space(
        ("/host:CPU", {"correlation_id": [1, 2, 3]}, [0, 10, 20]),
        ("/device:GPU:0", {"correlation_id": [1, 2, 4]}, [100, 110, 120]),
    )
    assert _pairs(space) == [("launch", 0, 0, 1, 0), ("launch", 0, 1, 1, 1)]
