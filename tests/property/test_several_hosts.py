"""Hosts that are read together: each is looked at alone, and what they tell is merged.

The answer is that of all hosts joined into one trace, but for medians, which are estimated.
"""

import gzip
import pickle
from dataclasses import replace
from functools import cache

import pytest
from conftest import TESTS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_traces import capture_bytes

import tfprof
from tfprof.analyses.graph.partition_graphs import partition_graphs
from tfprof.analyses.placement.host_placement import host_placement
from tfprof.analyses.runtime.host_times import OpTimesQuery, op_times_of, partial_of
from tfprof.analyses.runtime.kernels import kernels, of_space
from tfprof.analyses.runtime.op_times import closed
from tfprof.analyses.runtime.step_average import run_partial, step_average
from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.analyses.steps.step_clock import step_clock
from tfprof.api.profile import Profile
from tfprof.model.device import DeviceNames
from tfprof.model.hosts import Hosts
from tfprof.model.merging import merged
from tfprof.reports import input as input_report
from tfprof.reports import steps as steps_report
from tfprof.results.partial import ranked

BY = ("layer", "op", "scope", "node", "device", "thread")
# one with a GPU, one whose allocator tells of memory, two that are alike
RUNS = {
    "fit": ("slow-cb", "fast-cb", "slow-cb"),
    "memory": ("fast-trace-bfc", "synthetic-gpu", "tiny-htl1"),
}
LARGEST = 200_000
QUICKLY = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module", params=[*RUNS, "server"])
def profile(request, tmp_path_factory):
    """Three hosts of a run; of "server" only two mark their steps, an hour apart."""
    folder = tmp_path_factory.mktemp(request.param)
    for number, data in enumerate(_files(request.param)):
        (folder / f"w{number}.xplane.pb").write_bytes(data)
    return tfprof.load(folder)


def _files(name):
    return (
        [_renamed(one, f"w{at}") for at, one in enumerate(RUNS[name])] if name in RUNS else _made()
    )


def _renamed(name, host):
    """A capture under the name of another host, later by some seconds."""
    from tfprof.wire.schema import message_class

    packed = TESTS / "data" / "xplane" / f"{name}.xplane.pb.gz"
    message = message_class("XSpace")()
    message.ParseFromString(gzip.decompress(packed.read_bytes()))
    del message.hostnames[:]
    message.hostnames.append(host)
    return message.SerializeToString()


def _made():
    def threads(marked, late):
        marks = [("train", late + at, 90, {"step_num": n}) for n, at in enumerate((0, 100, 200))]
        ops = [("a/MatMul:MatMul", late + at + 10, 20 + marked) for at in (-100, 0, 100, 200)]
        return {"/host:CPU": {"python": marks if marked else [], "tf_Compute/1": ops}}

    for at, marked in enumerate((0, 1, 1)):
        yield capture_bytes(threads(marked, 200), f"w{at}", origin_ns=10**18 + 10**5 * at)


@cache
def _joined(profile):
    return Profile(replace(profile.data, hosts=Hosts.of(profile.data.trace)))


def answers(profile):
    """What is asked, and the answer or why there is none."""
    asked = {f"by {by}": lambda by=by: profile.layers(by=by) for by in (*BY, "kernel")}
    asked |= {
        "steps": profile.steps,
        "gaps": lambda: profile.steps(gaps=True),
        "events": lambda: profile.steps(events="host_python"),
        "input": profile.input,
        "memory": profile.memory,
        "placement": profile.placement,
        "nodes": lambda: profile.placement(nodes=True),
        "summary": profile.summary,
    }
    for name, ask in asked.items():
        try:
            yield name, ask().to_dict()
        except tfprof.TfprofError as error:
            yield name, str(error)


def taken_out(value, key):
    """Every value of a key, in order; it is then None."""
    found = []
    if isinstance(value, dict):
        if key in value:
            found.append(value[key])
            value[key] = None
        value.pop(f"{key}_kind", None)
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            found += taken_out(one, key)
    return found


def test_they_answer_as_all_joined_would(profile):
    for (name, ours), (_, whole) in zip(answers(profile), answers(_joined(profile)), strict=True):
        medians = [taken_out(one, "median_us") for one in (ours, whole) if name.startswith("by ")]
        assert ours == whole, name
        if medians:
            assert medians[0] == pytest.approx(medians[1], rel=0.0101), name


def test_nobody_joins_them(profile):
    again = pickle.loads(pickle.dumps(profile.data))
    for _ in answers(Profile(again)):
        pass
    assert "trace" not in vars(again.hosts)


def test_averages_are_of_the_steps_that_hosts_take_together(tmp_path):
    planes = {"/host:CPU": {"tf_Compute/1": [
        ("a/MatMul:MatMul", 100 * step, 50, {"group_id": step}) for step in range(10)
    ]}}  # fmt: skip
    for host in "ab":
        (tmp_path / f"{host}.xplane.pb").write_bytes(capture_bytes(planes, host))
    profile = tfprof.load(tmp_path)
    for one in (profile, _joined(profile)):
        devices = one.placement().to_dict()["data"]["devices"]
        assert [device["time_us"] for device in devices.values()] == [50, 50]
        assert one.summary().to_dict()["data"]["time"]["steps"] == 10


# --- in any order and any tree


@st.composite
def trees(draw, partials):
    """Pairs of them become one, through a pickle, until one is left."""
    left = draw(st.permutations(partials))
    while len(left) > 1:
        one, other = (left.pop(draw(st.integers(0, len(left) - 1))) for _ in range(2))
        left.append(pickle.loads(pickle.dumps(one.merge(other))))
    return left[0]


def partials(profile):
    """By question: what each host adds, how that is finished, and what the command computes."""
    data, hosts = profile.data, profile.data.hosts.on_one_clock
    clock = step_clock(host.trace for host in hosts)
    for by in BY:
        query = OpTimesQuery(by)
        yield (
            [partial_of(data, host, clock, query, several=True) for host in hosts],
            lambda one: closed(one, {}).finish(),
            op_times_of(data, query).finish(),
        )
    yield (
        [of_space(host.trace.space) for host in hosts],
        lambda one: one.finish(),
        kernels(hosts.spaces).finish(),
    )
    yield (
        [run_partial(host.trace, clock, host.rank) for host in hosts],
        lambda one: one.finish(),
        step_average(*(host.trace for host in hosts)),
    )
    found = [
        steps_report.partial_of(breakdowns(host.trace.space), ranked(host.rank, 0))
        for host in hosts
    ]
    query = steps_report.Query()
    # what to ask next is the report's
    asked = replace(profile.steps().result.data, read=(), then="")
    yield (
        found,
        lambda one: one.finish(query),
        replace(asked, read=merged(found).finish(query).read),
    )
    yield (
        [input_report.partial_of(host.trace.space, ranked(host.rank, 0)) for host in hosts],
        lambda one: one.finish(),
        profile.input().result.data,
    )
    placed = [host_placement(host.trace, partition_graphs(host.trace), host.rank) for host in hosts]
    names = DeviceNames(merged(placed).device_names)
    yield placed, lambda one: one.finish(names), merged(placed).finish(names)


@cache
def known_partials(profile):
    return list(partials(profile))


@QUICKLY
@given(data=st.data())
def test_in_any_order_and_tree(profile, data):
    for found, finish, asked in known_partials(profile):
        assert repr(finish(data.draw(trees(found)))) == repr(asked)


def test_they_are_small(profile):
    for found, _, _ in known_partials(profile):
        for one in found:
            assert len(pickle.dumps(one)) < LARGEST


def test_two_processes_of_one_machine_each_count_by_their_own_steps(samples, tmp_path):
    """They write the same host name, and may not have taken their steps at the same time."""
    names = ("slow-trace", "fast-trace")
    alone = []
    for place, name in enumerate(names):
        target = tmp_path / f"worker-{place}.xplane.pb"
        target.write_bytes((samples / f"xplane/{name}.xplane.pb").read_bytes())
        alone.append(tfprof.load(target).summary().result.data.run.executions)
    assert tfprof.load(tmp_path).summary().result.data.run.executions == sum(alone)
