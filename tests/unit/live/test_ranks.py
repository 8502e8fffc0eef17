"""Which process of a cluster this one is, by what TensorFlow's workers are told."""

import json

import pytest

from tfprof.live.recording.ranks import process_rank

CLUSTER = {"worker": ["a:1", "b:1"], "chief": ["c:1"], "ps": ["d:1", "e:1"]}


@pytest.mark.parametrize(
    ("task", "rank"),
    [("chief", 0), ("worker", 1), ("ps", 3)],
)
def test_the_chief_is_the_first(monkeypatch, task, rank):
    for index in range(len(CLUSTER[task])):
        told = {"cluster": CLUSTER, "task": {"type": task, "index": index}}
        monkeypatch.setenv("TF_CONFIG", json.dumps(told))
        assert process_rank() == (rank + index, 5, f"{task}/{index}")


@pytest.mark.parametrize(
    "told",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"cluster": {"worker": ["a:1"]}}',
        '{"cluster": {"worker": 5}, "task": {"type": "worker", "index": 0}}',
        '{"cluster": {"worker": ["a:1"]}, "task": {"type": "other", "index": 0}}',
        '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": "x"}}',
        '{"cluster": {"worker": ["a:1"]}, "task": {"type": [], "index": 0}}',
    ],
)
def test_who_is_told_nothing_is_alone(monkeypatch, told):
    monkeypatch.setenv("TF_CONFIG", told)
    assert process_rank() == (0, 1, None)
