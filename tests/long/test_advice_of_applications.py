"""Models that many people use have no problem: a hint or two, and these are argued in the docs."""

import inspect

import keras
import pytest
from keras_oracle import exported, forward

from tfprof.reports.advise import Query, ask
from tfprof.results.advice import Severity

pytestmark = pytest.mark.long

MODELS = sorted(name for name, one in vars(keras.applications).items() if inspect.isfunction(one))
# Keras 3 builds its batch norms of small ops
ARGUED = {"unfused-batch-norm"}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_keras_has_no_problem(name):
    model = getattr(keras.applications, name)(weights=None)
    findings = ask(exported(forward(model)).data, Query(every=True)).data.findings
    keras.backend.clear_session()
    print(f"{name}: {', '.join(one.rule for one in findings) or 'nothing'}")
    assert [one.rule for one in findings if one.severity is Severity.PROBLEM] == []
    assert {one.rule for one in findings} <= ARGUED
