"""Whatever a capture holds, the answers about it are complete, and agree with each other."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from random_traces import spaces

from tfprof.analyses.input_pipeline.found import input_of_hosts
from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.analyses.step_time.categories import Category
from tfprof.answers.steps import StepsAsked, StepsQuestion

# making a capture takes longer than looking at it
QUICKLY = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICKLY
@given(spaces(steps=(1, 7)))
def test_every_question_has_an_answer(space):
    hosts = list(breakdowns(space))
    if not hosts:
        return
    asked = StepsAsked(hosts, StepsQuestion(step=hosts[0].steps.windows[0].number))
    assert asked.all_steps()
    assert asked.one_step()
    for category in Category:
        assert asked.events_of(category)
    data = json.loads(json.dumps(asked.data()))
    assert len(data["devices"]) == len(hosts[0].devices)
    for name, device in data["devices"].items():
        alone = StepsAsked(hosts, StepsQuestion(device=name)).data()
        assert alone["average"]["breakdown"] == pytest.approx(device["breakdown"])


@QUICKLY
@given(spaces(steps=(1, 7)))
def test_steps_and_input_tell_the_same_share_of_waiting(space):
    shares = {one.host: one.input_share for one in breakdowns(space)}
    for host in input_of_hosts(space):
        if host.host in shares and host.waiting is not None:
            # not known where nothing that could wait was recorded
            assert host.waiting.share == pytest.approx(shares[host.host] or 0.0)
