"""Whatever a capture holds, the answers about it are complete, and agree with each other."""

import json
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from random_traces import spaces

from tfprof.analyses.input_pipeline.host_input import input_of_hosts
from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.model.hosts import Hosts
from tfprof.model.profile import ProfileData
from tfprof.renderers.data.encode import encoded
from tfprof.reports.steps import Query, ask, view
from tfprof.reports.steps.picture import picture
from tfprof.results.categories import Category

# making a capture takes longer than looking at it
QUICKLY = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICKLY
@given(spaces(steps=(1, 7)))
def test_every_question_has_an_answer(space):
    hosts = list(breakdowns(space))
    if not hosts:
        return
    profile = ProfileData(
        "x", hosts=Hosts.of(SimpleNamespace(space=space, steps=(), executions=()))
    )
    step = hosts[0].steps.windows[0].number
    queries = [Query(), Query(step=step), Query(gaps=True)]
    queries += [Query(step, category.value) for category in Category]
    for query in queries:
        assert view(ask(profile, query)).parts
    answer = ask(profile, Query())
    assert picture(answer).layers
    data = json.loads(json.dumps(encoded(answer.data)))
    for device in data["devices"]:
        alone = encoded(ask(profile, Query(device=device["device"])).data)
        assert alone["average"]["breakdown"] == pytest.approx(device["breakdown"])


@QUICKLY
@given(spaces(steps=(1, 7)))
def test_steps_and_input_tell_the_same_share_of_waiting(space):
    shares = {one.host: one.input_share for one in breakdowns(space)}
    for host in input_of_hosts(space):
        if host.host in shares and host.waiting is not None:
            # not known where nothing that could wait was recorded
            assert host.waiting.share == pytest.approx(shares[host.host] or 0.0)
