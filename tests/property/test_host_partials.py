"""What hosts tell is put together in any order and any tree, and always makes the same answer."""

import gzip
import pickle
import tempfile
from dataclasses import replace
from functools import cache, reduce
from pathlib import Path

from conftest import TESTS
from hypothesis import given, settings
from hypothesis import strategies as st
from random_traces import capture_of_hosts

from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.renderers.data.encode import encoded
from tfprof.reports import input as input_report
from tfprof.reports import steps as steps_report
from tfprof.reports.input.partial import InputPartial
from tfprof.reports.steps.partial import StepsPartial
from tfprof.sources.xplane.xplane import read

CAPTURES = ("slow-cb", "fast-cb", "slow-trace", "fast-trace", "synthetic-gpu", "tiny-htl1")
HOSTS = [(f"w{number}", name) for number, name in enumerate((*CAPTURES, "slow-cb", "fast-cb"))]
# a kilobyte a step is plenty: there are no events in it
LARGEST = 100_000


@cache
def space_of(name):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vm.xplane.pb"
        packed = TESTS / "data" / "xplane" / f"{name}.xplane.pb.gz"
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        return read(path, 0, None).trace.space


@cache
def steps_of(host, name):
    partial = steps_report.partial_of(list(breakdowns(space_of(name))))
    return StepsPartial(replace(partial.first, host=host))


@cache
def input_of(host, name):
    partial = input_report.partial_of(space_of(name))
    return replace(partial, hosts=tuple(replace(one, host=host) for one in partial.hosts))


@st.composite
def merged(draw, parts):
    """Pairs of them become one, until one is left; some come twice, or through a pickle."""
    left = draw(st.permutations([*parts, *draw(st.lists(st.sampled_from(parts), max_size=2))]))
    while len(left) > 1:
        one, other = (left.pop(draw(st.integers(0, len(left) - 1))) for _ in range(2))
        left.append(pickle.loads(pickle.dumps(one)).merge(other))
    return left[0]


some_hosts = st.lists(st.sampled_from(HOSTS), min_size=1, max_size=5, unique=True)


@settings(deadline=None)
@given(some_hosts, st.data())
def test_steps(hosts, data):
    parts = [steps_of(*host) for host in sorted(hosts)]
    straight = reduce(StepsPartial.merge, parts)
    found = data.draw(merged(parts))
    assert found == straight
    query = steps_report.Query()
    assert found.finish(query) == straight.finish(query)
    assert repr(encoded(found.finish(query))) == repr(encoded(straight.finish(query)))


@settings(deadline=None)
@given(some_hosts, st.data())
def test_input(hosts, data):
    parts = [input_of(*host) for host in sorted(hosts)]
    straight = reduce(InputPartial.merge, parts)
    found = data.draw(merged(parts))
    assert found == straight
    assert repr(encoded(found.finish())) == repr(encoded(straight.finish()))


def test_nothing_changes_nothing():
    steps, input_ = steps_of(*HOSTS[0]), input_of(*HOSTS[0])
    assert StepsPartial().merge(steps) == steps.merge(StepsPartial()) == steps
    assert InputPartial().merge(input_) == input_.merge(InputPartial()) == input_


def test_hosts_read_together_are_those_that_are_merged():
    planes = {
        name: {"/host:CPU": {"python": [
            ("train", 100 * n, open_, {"step_num": n, "_r": 1}) for n in range(5)
        ]}}
        for name, open_ in (("a", 60), ("b", 95), ("c", 62))
    }  # fmt: skip
    together = steps_report.partial_of(list(breakdowns(capture_of_hosts(planes))))
    alone = [
        steps_report.partial_of(list(breakdowns(capture_of_hosts({name: lines}))))
        for name, lines in planes.items()
    ]
    ranked = [StepsPartial(replace(part.first, rank=rank)) for rank, part in enumerate(alone)]
    query = steps_report.Query()
    result = together.finish(query)
    assert reduce(StepsPartial.merge, reversed(ranked)) == together
    assert [one.name for one in result.stragglers] == ["b"]
    # without ranks, names decide
    assert reduce(StepsPartial.merge, alone).finish(query) == result


def test_they_are_small():
    for host in HOSTS:
        for part in (steps_of(*host), input_of(*host)):
            assert len(pickle.dumps(part)) < LARGEST
