"""Of a step of very many ops only what was asked for is worked out, and that is said."""

import hostile_files as made
import pytest

import tfprof
from tfprof.reports.memory import forms


@pytest.fixture
def asked(tmp_path):
    path = made.many_nodes(tmp_path, 200)
    return lambda: tfprof.load(path).memory(batch=[1, 8]).to_dict()


def test_the_other_form_of_a_large_step_is_left_out_and_said(asked, monkeypatch):
    whole = asked()
    monkeypatch.setattr(forms, "_MOST_OPS", 100)
    large = asked()
    assert "optimised" in whole["data"]
    assert "optimised" not in large["data"]
    assert any("the step has 201 ops" in one for one in large["warnings"])
    assert not any("the step has" in one for one in whole["warnings"])
    assert large["data"]["devices"] == whole["data"]["devices"]


def test_a_step_that_is_the_same_at_every_batch_needs_the_same(asked):
    one, eight = asked()["data"]["batches"]
    assert (one.pop("batch"), eight.pop("batch")) == (1, 8)
    assert one == eight
