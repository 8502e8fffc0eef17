"""Hosts beside each other: whatever the clocks, in whatever order hosts come together."""

import tempfile
from dataclasses import replace
from functools import cache, reduce
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from many_hosts_captures import job
from random_traces import spaces

from tfprof.analyses.between_hosts.comparison import between_hosts
from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.renderers.data.encode import encoded
from tfprof.reports import steps as steps_report
from tfprof.reports.steps.partial import StepsPartial
from tfprof.sources.xplane.xplane import read

US = 1_000_000
FEW = settings(max_examples=25, deadline=None)


def hosts_of(**how):
    """What each host of a job tells, by rank; and the truth."""
    files, truth = job(**how)
    parts = []
    with tempfile.TemporaryDirectory() as folder:
        for rank, (name, data) in enumerate(sorted(files.items())):
            path = Path(folder) / name
            path.write_bytes(data)
            space = read(path, 0, None).trace.space
            parts.append(steps_report.partial_of(breakdowns(space), rank))
    return parts, truth


@cache
def some_hosts():
    clocks = [0, 4e3, -7e5, 2e6, 300]
    return hosts_of(hosts=5, steps=8, clocks_us=clocks, late={3: 200.0}, noise=30.0, jitter=0.5)


micros = st.floats(-3e6, 3e6, allow_nan=False)


@FEW
@given(
    st.lists(micros, min_size=2, max_size=6), st.floats(0, 1), st.floats(0, 300), st.floats(0, 400),
    st.sampled_from(["gpu", "cpu", "async"]), st.integers(0, 100),
)  # fmt: skip
def test_clocks_are_within_what_is_said(clocks, jitter, noise, late, kind, seed):
    parts, truth = hosts_of(
        hosts=len(clocks), steps=7, clocks_us=clocks, jitter=jitter, noise=noise, late={1: late},
        kind=kind, seed=seed,
    )  # fmt: skip
    found = between_hosts(reduce(StepsPartial.merge, parts).hosts)
    for one in found.hosts:
        off = one.clock.offset.value - (truth.clocks[one.host] - truth.clocks[found.reference])
        # files tell nanoseconds
        assert abs(off) <= one.clock.within / US + 0.002
    assert sum(one.last_steps for one in found.hosts) <= 7


@FEW
@given(st.data())
def test_the_order_of_hosts_changes_nothing(data):
    parts, _ = some_hosts()
    query = steps_report.Query()
    straight = reduce(StepsPartial.merge, parts).finish(query)
    shuffled = reduce(StepsPartial.merge, data.draw(st.permutations(parts))).finish(query)
    assert repr(encoded(shuffled)) == repr(encoded(straight))


@FEW
@given(st.permutations(range(5)))
def test_which_rank_a_host_has_changes_nothing_of_what_is_said_of_it(ranks):
    hosts = [part.hosts[0] for part in some_hosts()[0]]
    usual = between_hosts(hosts)
    moved = [replace(one, rank=rank) for one, rank in zip(hosts, ranks, strict=True)]
    found = between_hosts(sorted(moved, key=lambda one: one.rank))
    assert found.reference == usual.reference
    by_name = {one.host: one for one in found.hosts}
    assert by_name == {one.host: one for one in usual.hosts}
    assert replace(found, hosts=(), input_wait=None) == replace(usual, hosts=(), input_wait=None)


@FEW
@given(spaces(hosts=4, devices=2, steps=(2, 6)))
def test_whatever_was_recorded_there_is_an_answer(space):
    partial = steps_report.partial_of(breakdowns(space))
    result = partial.finish(steps_report.Query(hosts=True))
    if len(partial.hosts) < 2:
        assert result.between is None
        return
    assert encoded(result.between)
    for one in result.between.hosts:
        assert (one.clock.offset.value is None) == (one.clock.reason is not None)
        assert (one.clock.offset.value is None) == (one.clock.within is None)
        assert all(time is None or time >= 0 for time in one.own_by_step)
        assert one.waited is None or one.waited >= 0
