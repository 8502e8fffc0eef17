"""Which steps are captured, decided without TensorFlow."""

import pytest

from tfprof.errors import UsageError
from tfprof.live.recording.plan import Plan, Schedule, first_of, plan_of, size_of, steps_of


def _captured(plan, traced=(), start=0, steps=40, count=1):
    """The windows that a loop of so many steps would capture."""
    schedule = Schedule(plan, start)
    found, until, number = [], 0, start
    while number < start + steps:
        number += 1
        if not until and schedule.begins(number, count):
            until = schedule.until(number, count=count)
            found.append((number, until))
        number += count - 1
        schedule.passed(traced=number in traced)
        if until and number >= until:
            schedule.captured(number)
            until = 0
    return found


def test_five_steps_after_the_warm_up():
    assert _captured(Plan()) == [(3, 7)]


def test_a_step_that_traces_a_function_is_waited_for():
    assert _captured(Plan(), traced={1, 2, 3}) == [(5, 9)]


def test_a_program_that_traces_in_every_step_is_captured_all_the_same():
    found = _captured(Plan(), traced=set(range(1, 100)))
    assert [last - first for first, last in found] == [4]


def test_chosen_steps_are_captured_whatever_they_trace():
    assert _captured(Plan(steps=(1, 2)), traced={1, 2}) == [(1, 2)]
    assert _captured(Plan(steps=(10, 14))) == [(10, 14)]
    assert _captured(Plan(steps=(50, 60))) == []


def test_again_and_again():
    assert _captured(Plan(every=10)) == [(3, 7), (10, 14), (20, 24), (30, 34), (40, 44)]
    assert _captured(Plan(steps=(5, 6), every=10)) == [(5, 6), (15, 16), (25, 26), (35, 36)]
    assert _captured(Plan(every=2), steps=8) == [(3, 3), (4, 4), (6, 6), (8, 8)]


def test_after_a_restart_numbers_and_captures_go_on():
    assert _captured(Plan(every=10), start=17, steps=20) == [(20, 24), (30, 34)]
    # functions are traced anew: the warm-up moves the capture
    assert _captured(Plan(every=10), start=19, steps=20)[0] == (22, 26)
    assert _captured(Plan(steps=(10, 14)), start=11) == [(12, 14)]
    assert _captured(Plan(steps=(10, 14)), start=20) == []


def test_several_steps_at_once():
    assert _captured(Plan(), count=4) == [(9, 16)]  # two rounds of warm-up, then two
    assert _captured(Plan(steps=(10, 11)), count=4) == [(9, 11)]


def test_somebody_may_ask_beside_the_plan():
    schedule = Schedule(Plan(enabled=False))
    assert not schedule.begins(1)
    schedule.ask(3)
    assert schedule.begins(2)
    assert schedule.until(2) == 4
    schedule.captured(4)
    assert not schedule.begins(5)


def test_tracing_is_watched_only_where_it_matters():
    schedule = Schedule(Plan(every=1000))
    for number in range(1, 8):
        assert schedule.watches_tracing(number)
        schedule.passed(traced=False)
    schedule.captured(7)
    assert not schedule.watches_tracing(8)
    assert schedule.watches_tracing(999)
    assert not Schedule(Plan(steps=(1, 2))).watches_tracing(1)


@pytest.mark.parametrize(
    ("given", "steps"),
    [
        (None, None),
        ((10, 14), (10, 14)),
        ([3, 3], (3, 3)),
        (range(10, 15), (10, 14)),
        ("10..14", (10, 14)),
        (" 7 ", (7, 7)),
        (7, (7, 7)),
    ],
)
def test_steps_are_written_in_many_ways(given, steps):
    assert steps_of(given) == steps


@pytest.mark.parametrize(
    "given",
    ["x", "", "5..", "1..2..3", (1, 2, 3), (), 1.5, True, (1, "2"), (None, 3), range(0), {}],
)
def test_what_is_no_row_of_steps_is_told(given):
    with pytest.raises(UsageError, match="steps"):
        steps_of(given)


@pytest.mark.parametrize(
    "words",
    [
        {"steps": (5, 2)},
        {"steps": (0, 2)},
        {"steps": -1},
        {"every": 0},
        {"every": 1},
        {"every": -5},
        {"every": "often"},
        {"every": 2.5},
        {"steps": (1, 10), "every": 10},
        {"delay": -1},
        {"delay": float("nan")},
        {"duration": 0},
        {"duration": 1, "steps": 3},
        {"keep": 0},
    ],
    ids=str,
)
def test_a_plan_that_cannot_be_is_told(words):
    with pytest.raises(UsageError):
        plan_of(**words)


@pytest.mark.parametrize(
    ("given", "size"),
    [(5, 5), ("5", 5), ("256MB", 256_000_000), ("1.5 GiB", 3 << 29), ("2k", 2000), ("1KiB", 1024)],
)
def test_sizes(given, size):
    assert size_of(given) == size


@pytest.mark.parametrize("given", [-1, 0, "", "MB", "1XB", "-5MB", 1.5, None, True, "3ib"])
def test_what_is_no_size_is_told(given):
    with pytest.raises(UsageError):
        size_of(given)


def test_the_first_step_is_a_number_from_one():
    assert first_of(1001) == 1001
    for wrong in (0, -1, 1.5, "7", True):
        with pytest.raises(UsageError):
            first_of(wrong)
