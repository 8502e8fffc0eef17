"""Typed answers about steps and input: they pickle, and their rows can be told apart."""

import pickle
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import pytest

import tfprof
from tfprof.api.answer import Answer
from tfprof.results.fields import row_key_of

CAPTURES = ("slow-cb", "fast-trace", "fast-xla", "synthetic-gpu", "tiny-htl1", "tiny-pytracer")


@pytest.fixture
def profile(samples):
    return lambda name: tfprof.load(samples / f"xplane/{name}.xplane.pb")


def answers(profile):
    yield profile.steps()
    yield profile.steps(gaps=True)
    yield profile.steps(events="host_python")
    yield profile.steps(step=profile.steps().to_dict()["data"]["steps"][-1]["step"])
    yield profile.input()


@pytest.mark.parametrize("name", CAPTURES)
def test_answers_survive_a_pickle(profile, name):
    for answer in answers(profile(name)):
        again = Answer(pickle.loads(pickle.dumps(answer.result)))
        assert again.result == answer.result
        assert str(again) == str(answer)
        assert again.to_json() == answer.to_json()
        assert again.to_csv() == answer.to_csv()


def test_an_answer_without_steps_survives_too(tmp_path):
    from tfprof.wire.schema import message_class

    space = message_class("XSpace")()
    plane = space.planes.add(name="/host:CPU")
    plane.event_metadata[1].name = "a/MatMul:MatMul"
    plane.lines.add(name="tf_Compute/1").events.add(metadata_id=1, duration_ps=5_000_000)
    path = tmp_path / "x.xplane.pb"
    path.write_bytes(space.SerializeToString())
    answer = tfprof.load(path).steps()
    again = Answer(pickle.loads(pickle.dumps(answer.result)))
    assert (again.result, str(again)) == (answer.result, str(answer))


def tables(value):
    """Every tuple of rows in a result."""
    if isinstance(value, tuple):
        if value and is_dataclass(value[0]):
            yield value
        for one in value:
            yield from tables(one)
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from tables(one)
    elif is_dataclass(value):
        for field in fields(value):
            yield from tables(getattr(value, field.name))


# what views look at is no table of the answer: hosts by rank, slices by category
NO_ROWS = {"HostInput", "CategorySlice"}


@pytest.mark.parametrize("name", CAPTURES)
def test_rows_are_told_apart_by_their_keys(profile, name):
    for answer in answers(profile(name)):
        for rows in tables(answer.result.data):
            if type(rows[0]).__name__ in NO_ROWS:
                continue
            keys = [row_key_of(row) for row in rows]
            assert all(keys), type(rows[0])
            assert len(set(keys)) == len(keys), type(rows[0])
