"""Work that questions share is done once while they are asked together, and never kept after."""

import gc
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

import tfprof
from tfprof.model.remembered import parts_of, remembered, remembering
from tfprof.reports import memory
from tfprof.reports.memory.asked_steps import estimator_of
from tfprof.reports.shared.model_costs import costs_of
from tfprof.reports.shared.question import Question

GRAPH = Path(__file__).parents[2] / "data/keras_mlp_train.graph.pb"


class Thing:
    """Something that can be told to be gone."""


@pytest.fixture
def asked():
    """What was asked of a function that makes a new thing each time."""
    calls = []

    @remembered(lambda one, sizes=None: ((one,), (sizes,)))
    def make(one, sizes=None):
        calls.append((one, sizes))
        return Thing()

    return make, calls


def test_together_the_same_question_is_answered_once(asked):
    make, calls = asked
    subject = Thing()
    with remembering():
        first = make(subject, {"B": 8})
        assert make(subject, sizes={"B": 8}) is first
        assert make(subject, {"B": 9}) is not first
        assert make(Thing(), {"B": 8}) is not first
    assert len(calls) == 3


def test_alone_nothing_is_kept(asked):
    make, calls = asked
    subject = Thing()
    assert make(subject) is not make(subject)
    with remembering():
        held = weakref.ref(make(subject))
        with remembering():  # goes on with what is there
            assert make(subject) is held()
        assert make(subject) is held()
    gc.collect()
    assert held() is None
    assert len(calls) == 3


def test_errors_are_not_kept():
    answers = iter([ValueError("not yet"), "now"])

    @remembered(lambda: ((), ()))
    def make():
        found = next(answers)
        if isinstance(found, Exception):
            raise found
        return found

    with remembering():
        with pytest.raises(ValueError, match="not yet"):
            make()
        assert make() == make() == "now"


def test_profile_with_other_warnings_is_the_same_profile():
    data = tfprof.load(GRAPH).data
    said = replace(data, warnings=("something",))
    other = replace(data, is_executed=True)
    with remembering():
        first = costs_of(data, Question())
        assert costs_of(said, Question()) is first
        assert costs_of(other, Question()) is not first
        assert costs_of(data, Question({"B": 4})) is not first
    assert parts_of(data) == parts_of(said) != parts_of(other)


def test_a_step_is_written_down_once_for_all_who_ask_what_it_needs():
    data = tfprof.load(GRAPH).data
    with remembering():
        first, second = (estimator_of(data, memory.Query()) for _ in range(2))
        assert first.first is second.first
        assert first.pieces() is second.pieces()
    assert estimator_of(data, memory.Query()).first is not first.first
