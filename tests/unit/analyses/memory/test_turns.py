"""Which of the runs on paper is expected, and what a margin costs."""

from pathlib import Path

import pytest

import tfprof
from tfprof.analyses.memory.tape import Tape
from tfprof.analyses.memory.turns import AS_IT_SHOULD, Turn, turns_of, typical, typical_run
from tfprof.reports.memory.asked_steps import estimator_of
from tfprof.reports.memory.query import Query

TESTS = Path(__file__).parents[3]


def estimator(folder, name):
    (graph,) = (TESTS / folder).glob(f"{name}.graph.pb*")
    return estimator_of(tfprof.load(graph, vars=graph.with_name(f"{name}_vars.json")).data, Query())


def peaks(first, *others):
    return {AS_IT_SHOULD: first} | {Turn(seed): one for seed, one in enumerate(others, 1)}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        # the run as it should go, as long as a quarter of all are on either side of it
        (peaks(5, 1, 2, 3, 6, 7, 8, 9), AS_IT_SHOULD),
        (peaks(3, 1, 2, 4, 5, 6, 7, 8), AS_IT_SHOULD),
        (peaks(1, 2, 3, 4, 5, 6, 7, 8), Turn(2)),
        (peaks(8, 1, 2, 3, 4, 5, 6, 7), Turn(6)),
        # what is hardly beyond it is no better guess
        (peaks(100, 101, 101, 101, 102, 103, 104, 105), AS_IT_SHOULD),
        (peaks(100, 102, 103, 103, 103, 104, 104, 105), Turn(2)),
        # of three the one between, of two nothing is known
        (peaks(1, 3, 2), Turn(2)),
        (peaks(1, 2), AS_IT_SHOULD),
    ],
)
def test_what_is_expected_is_not_what_most_runs_are_beyond(found, expected):
    assert typical(found) == expected


@pytest.mark.parametrize(("name", "batch"), [("tf1_mlp", 1), ("tf1_while_rnn", 8)])
def test_fewer_runs_find_the_same(name, batch):
    known = estimator("wild", name)
    peak = known.at(batch)["/cpu:0"]
    tape = Tape(known.program(batch), batch)
    assert typical_run(tape, turns_of(tape, peak.on_paper.doubt)).peak == peak.expected


def test_small_columns_are_gone_over_before_another_thread_is_awake():
    """28 runs held 25.0 to 25.1 MB: two gradients of kernels with 24.6 MB each do not overlap."""
    peak = estimator("wild_unseen", "learned_start").at(2)["/cpu:0"]
    assert peak.expected == pytest.approx(25_035_488, rel=0.01)


def test_a_margin_of_bytes_costs_no_more_than_twice_as_many_samples():
    """Two buffers that no batch changes are most of the step: 5 % of it are 24 samples."""
    known, budget = estimator("wild_measured", "tf1_conv_adam"), 59_000_000
    most = known.largest(budget, parallel=True)
    assert known.largest(budget, parallel=True, margin=0.05) < most / 2
    assert known.safe(budget, 0.05) == int(most * 0.9)
    assert known.safe(budget, 0.0) == most
    # 34 samples were the most that ran
    assert most <= 34


def test_where_a_step_grows_with_the_batch_the_margin_is_of_bytes():
    known, budget = estimator("wild_measured", "vit"), 46_000_000
    assert known.safe(budget, 0.05) == known.largest(budget, parallel=True, margin=0.05)
