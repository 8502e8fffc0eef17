"""The result of a memory question is all there is: view and picture need nothing else."""

import pickle
from dataclasses import replace

import pytest

import tfprof
from tfprof.api.answer import Answer
from tfprof.model.quantity import Kind
from tfprof.reports import memory
from tfprof.reports.memory import Query, WhatIfQuery
from tfprof.reports.memory.picture import picture
from tfprof.reports.shared.question import question_from
from tfprof.results.fields import row_key_of
from tfprof.results.memory_trace import MeasuredMemory

WHAT_IF = Query(
    question_from(mode="train"),
    (2, 4),
    budget=10**8,
    optimizer="adam",
    what_if=WhatIfQuery("", swap=16.0, dtype="float16"),
)
ASKED = {
    "mlp": ("keras_mlp_fwd.graph.pb", Query()),
    "mlp, what if": ("keras_mlp_fwd.graph.pb", WHAT_IF),
    "two devices": ("two_cpus", Query(estimate=True, batches=(1, 3))),
    "as executed": ("two_cpus", Query(executed=True, estimate=True)),
    "a run of two devices": ("two_cpus", Query()),
    "a capture": ("xplane/fast-trace-bfc.xplane.pb", Query()),
    "a run": ("keras_mlp_train_b8_default.runmeta.pb", Query()),
}


@pytest.fixture(scope="module", params=ASKED)
def asked(request, samples):
    path, query = ASKED[request.param]
    data = tfprof.load(samples / path).data
    return data, query, memory.ask(data, query)


def test_it_can_be_sent_elsewhere_and_shown_there(asked):
    found = asked[2]
    there = pickle.loads(pickle.dumps(found))
    assert there == found
    one, other = Answer(found), Answer(there)
    assert (str(one), one.to_json(), one.to_csv(), one.to_svg()) == (
        str(other), other.to_json(), other.to_csv(), other.to_svg(),
    )  # fmt: skip


def test_rows_are_told_apart(asked):
    result = asked[2].data
    measured = isinstance(result, MeasuredMemory)
    tables = [() if measured else result.batches, () if measured else result.what_if or ()]
    for one in result.devices.values():
        tables.append(one.steps if measured else one.pieces)
        # not unique: an op may hold several blocks at once, and some blocks have no name
        assert all(row_key_of(row) for row in one.live_at_peak)
    if not measured:
        tables += [one.plans for one in result.what_if or () if hasattr(one, "plans")]
    for rows in tables:
        keys = [row_key_of(row) for row in rows]
        assert all(keys)
        assert len(set(keys)) == len(keys)


def test_a_picture_shows_more_batches_than_were_asked_for(samples):
    data = tfprof.load(samples / "keras_mlp_fwd.graph.pb").data
    drawn = memory.to_draw(data, Query(batches=(3,)))
    assert [row.batch for row in drawn.data.batches] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert picture(drawn).series.points == [1, 2, 3, 4, 5, 6, 7, 8]


def test_what_is_estimated_says_so(samples):
    data = tfprof.load(samples / "keras_mlp_fwd.graph.pb").data
    (device,) = memory.ask(data, Query()).data.devices.values()
    assert (device.peak_bytes.kind, device.total_bytes.kind) == (Kind.ESTIMATED, Kind.ESTIMATED)


def test_with_tensors_of_unknown_size_it_is_at_least_so_much(unet):
    found = memory.ask(tfprof.load(unet / "graph.pb").data, Query())
    (device,) = found.data.devices.values()
    assert device.peak_bytes.kind is Kind.AT_LEAST
    assert device.peak_bytes.reason in found.warnings


def test_what_is_not_known_of_a_run_has_its_reason(samples):
    run = tfprof.load(samples / "keras_mlp_train_b8_default.runmeta.pb").data
    (device,) = memory.ask(run, Query()).data.devices.values()
    assert device.persistent_bytes.reason == "a graph would tell the variables"
    assert device.baseline_bytes.reason == "run metadata tells of the step alone"


def test_only_a_plain_question_may_be_measured():
    assert Query().may_be_measured
    assert not replace(Query(), batches=(2,)).may_be_measured
    assert not Query(estimate=True).may_be_measured


def test_where_sizes_are_missing_no_batch_is_known_to_fit(samples):
    query = memory.Query(budget=10**9)
    answered = memory.ask(tfprof.load(samples / "traced_step/graph.pb").data, query)
    fits = answered.data.fits
    assert (fits.max_batch, fits.safe_batch) == (None, None)
    assert "unknown size" in fits.unknown
    assert "no batch is known to fit in 1.000 GB" in str(Answer(answered))
    assert any(one.startswith("max_batch, safe_batch: ") for one in answered.warnings)
