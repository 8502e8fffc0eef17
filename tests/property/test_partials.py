"""What hosts add to a table: in any order and any tree the same, and what all of them ran."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tfprof.analyses.runtime.op_events import OpEvents
from tfprof.analyses.runtime.op_times import groups, op_times
from tfprof.analyses.runtime.op_work import EventWork
from tfprof.model.device import DevicePeak
from tfprof.model.interned import Interned
from tfprof.model.quantity import Kind
from tfprof.results.fields import row_key_of
from tfprof.results.kernels import KernelsPartial, KernelSums, Launch
from tfprof.results.op_times import OpTimesPartial

QUICKLY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
BY = ("op", "node", "scope")
# an execution: its node, its type, its own time, what is inside it, its work, whether in a step
RUN = st.tuples(
    st.sampled_from(["a/x", "a/y", "b/x"]),
    st.sampled_from(["", "MatMul", "Relu"]),
    st.integers(0, 2**44),
    st.integers(0, 2**40),
    st.one_of(st.just(float("nan")), st.floats(0, 1e15)),
    st.booleans(),
)
HOST = st.lists(RUN, max_size=8)
PEAKS = st.sampled_from([None, DevicePeak("gpu", 1e12, 1e9), DevicePeak("gpu", 2e12, 1e9)])
LAUNCH = st.builds(
    Launch, st.none(), st.sampled_from([None, 8, 16]), st.none(), st.just("1,1,1"),
    st.one_of(st.none(), st.floats(0, 1)), st.sampled_from([None, False, True]), st.booleans(),
)  # fmt: skip
KERNELS = st.lists(
    st.builds(
        KernelSums, st.sampled_from("kl"), st.just("k"), st.just("op"),
        st.just(frozenset(["/host:a/device:GPU:0/stream:all"])), st.integers(1, 9),
        st.integers(0, 2**60), st.integers(0, 9), st.integers(9, 99), st.just(0), LAUNCH,
    ),
    max_size=1,
)  # fmt: skip


def runs_of(host):
    names, types, own, more, _, _ = zip(*host, strict=True) if host else [()] * 6
    own, total = np.array(own, np.int64), np.array(own, np.int64) + np.array(more, np.int64)
    zeros = np.zeros(len(host), np.int64)
    return OpEvents(
        Interned.of(list(names)), Interned.of(list(types)), Interned.of(["/cpu:0"] * len(host)),
        zeros, {}, zeros, zeros, total, own, zeros > 0, nested=True,
    )  # fmt: skip


def partial(host, by, steps=1, peak=None):
    runs = runs_of(host)
    flops = np.array([run[4] for run in host])
    work = EventWork(flops, flops, np.isnan(flops))
    inside = np.array([run[5] for run in host], bool)
    rows = op_times(runs, groups(runs, by), work, inside, sketched=True)
    ends = (100 * steps, 100 * steps + 50) if host else (0, 0)
    return OpTimesPartial(by, rows, tuple(range(steps)), 7 * len(host), *ends, peak)


def merged(parts, chance):
    """By a tree of chance, over a process boundary each time."""
    left = list(parts)
    while len(left) > 1:
        one = left.pop(chance.randrange(len(left)))
        other = left.pop(chance.randrange(len(left)))
        left.append(pickle.loads(pickle.dumps(one.merge(other))))
    return left[0]


@pytest.mark.parametrize("by", BY)
@QUICKLY
@given(
    hosts=st.lists(st.tuples(HOST, st.integers(0, 9), PEAKS), min_size=1, max_size=5),
    chance=st.randoms(),
)
def test_op_times_of_hosts_merge_in_any_order(by, hosts, chance):
    parts = [partial(host, by, steps, peak) for host, steps, peak in hosts]
    first, second = merged(parts, chance), merged(parts, chance)
    assert first == second
    assert first.finish() == second.finish()
    keys = [row_key_of(row) for row in first.finish().rows]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("by", BY)
@QUICKLY
@given(hosts=st.lists(HOST, min_size=2, max_size=4), chance=st.randoms())
def test_what_is_merged_is_what_all_of_them_ran(by, hosts, chance):
    together = partial([run for host in hosts for run in host], by).finish()
    found = merged([partial(host, by) for host in hosts], chance).finish()
    assert (found.executions, found.self_us) == (together.executions, together.self_us)
    several = sum(bool(host) for host in hosts) > 1
    for ours, whole in zip(found.rows, together.rows, strict=True):
        assert row_key_of(ours) == row_key_of(whole)
        assert (ours.runs, ours.self_us, ours.total_us) == (
            whole.runs,
            whole.self_us,
            whole.total_us,
        )
        assert (ours.min_us, ours.max_us, ours.step_us) == (
            whole.min_us,
            whole.max_us,
            whole.step_us,
        )
        assert ours.flops.kind is whole.flops.kind
        assert ours.flops.value == pytest.approx(whole.flops.value)
        assert ours.median_us.value == pytest.approx(whole.median_us.value, rel=0.0100001)
        assert whole.median_us.kind is Kind.MEASURED
        assert several or ours.median_us == whole.median_us


@QUICKLY
@given(HOST)
def test_of_one_host_the_median_is_exact(host):
    for row in partial(host, "op").finish().rows:
        own = sorted(run[2] for run in host if run[1] == (row.op or ""))
        assert row.median_us.value == (own[(len(own) - 1) // 2] + own[len(own) // 2]) / 2 / 1e6


def test_without_sketches_there_is_nothing_to_merge():
    runs = runs_of([("a", "MatMul", 5, 0, 0.0, True)])
    alone = OpTimesPartial("op", op_times(runs, groups(runs, "op")), (1,), 0, 0, 5)
    with pytest.raises(ValueError, match="sketches"):
        alone.merge(alone)


def test_fractions_of_work_add_up_exactly():
    third = partial([("a", "MatMul", 5, 0, 1 / 3, True)], "op")
    (row,) = third.merge(third).merge(third).rows
    assert row.own.work.flops == 3 * Fraction(1 / 3)


@QUICKLY
@given(st.lists(KERNELS, min_size=1, max_size=5), st.randoms())
def test_kernels_of_hosts_merge_in_any_order(hosts, chance):
    parts = [KernelsPartial(tuple(rows)) for rows in hosts]
    first, second = merged(parts, chance), merged(parts, chance)
    assert first == second
    rows = first.finish()
    assert rows == second.finish()
    assert sum(row.runs for row in rows) == sum(one.runs for part in parts for one in part.rows)
    assert {device for row in rows for device in row.devices} <= {"/gpu:0"}
