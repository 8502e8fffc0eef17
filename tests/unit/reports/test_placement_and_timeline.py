"""Typed answers about placement and in time: they pickle, and their rows can be told apart."""

import pickle
from pathlib import Path

import pytest

import tfprof
from tfprof.api.answer import Answer
from tfprof.results.fields import row_key_of

LOGS = Path(__file__).parents[2] / "logs"
PLACED = (
    "two_cpus", "two_cpus/graph.pb", "two_cpus_function", "parameter_servers", "resnet32",
    "xplane/synthetic-gpu.xplane.pb", "xplane/tiny-htl1.xplane.pb",
)  # fmt: skip
RUNS = (
    "two_cpus", "parameter_servers", "resnet32", "traced_step", "xplane/slow-cb.xplane.pb",
    "xplane/fast-xla.xplane.pb", "xplane/synthetic-gpu.xplane.pb", "xplane/tiny-htl1.xplane.pb",
)  # fmt: skip


def survives(answer):
    again = Answer(pickle.loads(pickle.dumps(answer.result)))
    assert again.result == answer.result
    assert again.view == answer.view
    for rendered in ("to_text", "to_json", "to_csv", "to_markdown"):
        assert getattr(again, rendered)() == getattr(answer, rendered)()


def told_apart(*tables):
    for rows in tables:
        keys = [row_key_of(row) for row in rows]
        assert all(keys)
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("name", PLACED)
def test_placement(samples, name):
    profile = tfprof.load(samples / name)
    answer = profile.placement(nodes=True, log=LOGS / "two_cpus.log")
    survives(answer)
    survives(profile.placement())
    found = answer.result.data
    # devices, tasks and logs stand under their names
    nodes = [graph.nodes for graph in found.subgraphs]
    told_apart(found.copies, found.soft_placed, found.partitions, found.subgraphs, *nodes)


def test_what_is_not_known_says_why(samples):
    devices = tfprof.load(samples / "two_cpus/graph.pb").placement().result.data.devices
    assert devices["/cpu:0"].time_us.reason == "no run tells of ops"
    (copies,) = tfprof.load(samples / "two_cpus_function").placement().result.data.copies
    assert (copies.bytes.known, copies.time_us.number) == (False, 25)
    assert copies.bytes.reason


@pytest.mark.parametrize("name", RUNS)
def test_timeline(samples, name):
    answer = tfprof.load(samples / name).timeline()
    survives(answer)
    found = answer.result.data
    told_apart(found.steps, found.lanes, found.critical_path.top, found.critical_path.path)
