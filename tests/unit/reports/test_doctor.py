"""What is in a place, as a result that travels."""

import pickle

import pytest

from tfprof.api.answer import Answer
from tfprof.reports.doctor import ask_paths
from tfprof.results.fields import row_key_of
from tfprof.sources.find.load import Request


@pytest.fixture(scope="module", params=["resnet32", "keras_mlp_train.graph.pb", "."])
def answered(request, samples):
    return ask_paths(Request([samples / request.param]))


def test_a_result_travels(answered):
    again = pickle.loads(pickle.dumps(answered))
    assert again == answered
    assert str(Answer(again)) == str(Answer(answered))
    assert Answer(again).to_json() == Answer(answered).to_json()


def test_rows_are_told_apart(answered):
    found = answered.data
    restored = found.restore.savers if found.restore is not None else ()
    for rows in (
        found.found,
        found.missing,
        restored,
        *(one.restored.mismatched for one in restored),
    ):
        keys = [row_key_of(row) for row in rows]
        assert all(keys)
        assert len(set(keys)) == len(keys)
