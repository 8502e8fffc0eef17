"""What a log tells of a run: its rate, what tracing and saving cost, the loss."""

import json
import math
import pickle

import numpy as np
import pytest
from made_events import event_file, training_log
from made_runs import capture, made_run
from run_cli import run

import tfprof
from tfprof.analyses.steps.logged_run import logged_run
from tfprof.model.event_scalars import EventScalars, SavedCheckpoint, ScalarSeries

LOG = "events.out.tfevents.1794900000.vm"
BEGIN = 1_794_900_000.0


def _log(points, path, traced=()):
    series = {}
    for tag in dict.fromkeys(one[2] for one in points):
        mine = [one for one in points if one[2] == tag]
        series[tag] = ScalarSeries(
            np.array([one[0] for one in mine], np.int64),
            np.array([one[1] for one in mine], float),
            np.array([one[3] for one in mine], float),
        )
    return EventScalars(path, series, traced)


def _saves(folder, *steps, name="model.ckpt"):
    return [SavedCheckpoint(folder / f"{name}-{step}.index", step, 0.0) for step in steps]


def test_the_rate_is_that_of_the_times_on_the_wall(tmp_path):
    found = logged_run([_log(training_log(1000, 10, 0.02), tmp_path / LOG)])
    assert found.per_second.number == pytest.approx(50)
    assert found.per_second.kind.value == "derived"
    assert found.median_us == pytest.approx(20_000)
    assert (found.first_step, found.last_step) == (0, 1000)
    assert (found.found_by, found.counts, found.sessions) == ("loss", "step", 1)
    assert (found.loss.first, found.loss.last) == (2.0, pytest.approx(2 / 11))
    assert found.saving is None
    assert found.tracing is None


def test_a_logged_rate_comes_first(tmp_path):
    rates = [(step, BEGIN + step, "global_step/sec", value)
             for step, value in ((100, 40.0), (200, 44.0), (300, 48.0))]  # fmt: skip
    found = logged_run([_log([*training_log(), *rates], tmp_path / LOG)])
    assert found.per_second.number == 44.0
    assert found.per_second.kind.value == "measured"
    assert found.found_by == "global_step/sec"


def test_a_restart_is_another_session_and_no_gap(tmp_path):
    before = _log(training_log(500), tmp_path / f"{LOG}.1")
    again = _log(training_log(600, first=400, begin=BEGIN + 5000), tmp_path / f"{LOG}.2")
    found = logged_run([again, before])
    assert found.sessions == 2
    assert found.per_second.number == pytest.approx(50)
    assert (found.first_step, found.last_step) == (0, 1000)
    assert found.loss.first == 2.0
    assert found.loss.last_step == 1000


def test_what_saving_costs_by_the_gaps_at_the_steps_of_checkpoints(tmp_path):
    points = training_log(longer={200: 0.5, 400: 0.6, 600: 0.55})
    log = _log(points, tmp_path / LOG)
    found = logged_run([log], (), _saves(tmp_path, 200, 400, 600))
    assert found.saving.checkpoints == 3
    assert found.saving.each_us.number == pytest.approx(550_000, rel=1e-4)
    assert found.saving.each_us.kind.value == "estimated"
    # a number that counts saves is no step, unless the times agree
    assert logged_run([log], (), _saves(tmp_path, 1, 2, 3, name="ckpt")).saving is None
    timed = [SavedCheckpoint(tmp_path / "ckpt-200.index", 200, BEGIN + 4.2)]
    assert logged_run([log], (), timed).saving.checkpoints == 1


def test_where_saving_leaves_no_gap_nothing_is_said(tmp_path):
    log = _log(training_log(), tmp_path / LOG)
    found = logged_run([log], (), _saves(tmp_path, 200, 400))
    assert found.saving is None


def test_what_traced_steps_cost(tmp_path):
    points = training_log(longer={500: 0.1})
    for log, traced in (
        (_log(points, tmp_path / LOG, traced=(501,)), ()),
        (_log(points, tmp_path / LOG), (501, 502)),
    ):
        found = logged_run([log], traced).tracing
        assert found.stretches == 1
        assert found.untraced_us == pytest.approx(20_000)
        assert found.traced_us == pytest.approx(30_000)
        assert found.share.number == pytest.approx(0.5, rel=1e-4)


def test_epochs_are_not_steps(tmp_path):
    points = [(epoch, BEGIN + 12 * epoch, "epoch_loss", 1.0) for epoch in range(5)]
    found = logged_run([_log(points, tmp_path / LOG)])
    assert found.counts == "epoch"
    assert found.median_us == pytest.approx(12e6)


def test_evaluation_in_a_folder_of_its_own_is_not_the_training(tmp_path):
    evaluated = [(step, BEGIN + step, "loss", 1.0) for step in range(0, 900, 300)]
    both = [_log(evaluated, tmp_path / "eval" / LOG), _log(training_log(), tmp_path / LOG)]
    assert logged_run(both).per_second.number == pytest.approx(50)


@pytest.mark.parametrize(
    "points",
    [
        [],
        [(1, BEGIN, "loss", 1.0)],
        [(1, BEGIN, "loss", 1.0), (1, BEGIN + 1, "loss", 1.0)],
        [(5, BEGIN, "loss", 1.0), (4, BEGIN + 1, "loss", 1.0)],
        [(1, BEGIN, "loss", 1.0), (2, BEGIN, "loss", 1.0)],
        [(1, BEGIN, "loss", 1.0), (2, BEGIN - 9, "loss", 1.0)],
    ],
)
def test_what_tells_no_rate(tmp_path, points):
    assert logged_run([_log(points, tmp_path / LOG)] if points else []) is None


@pytest.mark.parametrize("as_tensors", [False, True])
def test_a_log_beside_a_graph(tmp_path, as_tensors):
    folder = made_run(tmp_path / "run", captures=[capture("x")])
    place = event_file(folder / "rank-0" / LOG, training_log(), as_tensors=as_tensors)
    answer = json.loads(run("summary", folder, "--json").out)
    assert str(place) in [one["path"] for one in answer["inputs"]]
    assert answer["data"]["logged"]["per_second"] == pytest.approx(50)
    text = " ".join(run("summary", folder).out.split())
    assert "Logged 50 steps a second over 1,000 steps, loss 2 → 0.1818" in text
    steps = " ".join(run("steps", folder).out.split())
    assert "Logged 50 steps a second" in steps
    assert "Loss loss 2 → 0.1818 (steps 0 to 1,000)" in steps


def test_a_log_alone_and_its_pickle(tmp_path):
    log = event_file(tmp_path / LOG, training_log())
    assert "Logged 50 steps a second" in " ".join(run("summary", log).out.split())
    data = tfprof.load(log).data
    again = pickle.loads(pickle.dumps(data))
    assert len(again.logs[0].series["loss"]) == 101


def test_a_long_log_is_thinned_out_and_keeps_its_ends(tmp_path):
    points = [(step, BEGIN + step, "loss", float(step)) for step in range(40_000)]
    log = event_file(tmp_path / LOG, points)
    series = tfprof.load(log).data.logs[0].series["loss"]
    assert len(series) <= (1 << 14) + 1
    assert (series.step[0], series.step[-1]) == (0, 39_999)
    assert json.loads(run("summary", log, "--json").out)["data"]["logged"]["per_second"] == 1


def test_what_is_no_number_is_none(tmp_path):
    points = [(0, BEGIN, "loss", math.nan), (9, BEGIN + 1, "loss", math.inf)]
    log = event_file(tmp_path / LOG, points)
    answer = json.loads(run("summary", log, "--json").out)
    found = answer["data"]["logged"]["loss"]
    assert (found["first"], found["last"]) == (None, None)
    assert any(one.startswith("logged.loss.last: ") for one in answer["warnings"])
    assert "not a number" in " ".join(run("summary", log).out.split())


def test_odd_times_and_steps_are_passed_over(tmp_path):
    odd = [(-3, BEGIN, "loss", 1.0), (1, math.nan, "loss", 1.0), (1, -1.0, "loss", 1.0),
           (1, 1e300, "loss", 1.0), (1 << 62, BEGIN, "loss", 1.0)]  # fmt: skip
    log = event_file(tmp_path / LOG, [*odd, *training_log()])
    assert json.loads(run("summary", log, "--json").out)["data"]["logged"]["last_step"] == 1000
