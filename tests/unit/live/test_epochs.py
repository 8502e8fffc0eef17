"""Where an epoch went, by a clock that the test turns."""

import threading
from dataclasses import replace

import pytest

from tfprof.live.recording.epochs import CALLBACKS, CHECKPOINT, STEP, VALIDATION, EpochClock


class Hands:
    """A clock whose hands are moved by hand."""

    def __init__(self):
        self.at = 100.0

    def __call__(self):
        return self.at


@pytest.fixture
def hands():
    return Hands()


def _spend(clock, hands, part, seconds, who=""):
    with clock.part(part, who):
        hands.at += seconds


def test_every_second_has_one_place(hands):
    clock = EpochClock(hands)
    clock.begin(1)
    for seconds in (5.0, 1.0, 1.0):
        _spend(clock, hands, STEP, seconds)
    _spend(clock, hands, CALLBACKS, 2.0, "Slow")
    with clock.part(VALIDATION):
        hands.at += 3
        _spend(clock, hands, STEP, 1.0)  # a step of the validation is validation
        _spend(clock, hands, CALLBACKS, 1.0, "Slow")
    _spend(clock, hands, CHECKPOINT, 0.5)
    hands.at += 0.25
    epoch = clock.end()
    told = epoch.as_json()
    assert told == {
        "epoch": 1, "seconds": 14.75, "data_s": None, "step_s": 7.0, "callbacks_s": 2.0,
        "validation_s": 5.0, "checkpoint_s": 0.5,
    }  # fmt: skip
    assert epoch.who == {"Slow": 2.0}
    assert sum(epoch.parts.values()) == pytest.approx(epoch.seconds)


def test_waiting_for_data_is_that_of_ordinary_steps(hands):
    clock = EpochClock(hands)
    clock.begin(2)
    for seconds in (5.0, 1.0, 1.0, 1.0):
        _spend(clock, hands, STEP, seconds)
    epoch = replace(clock.end(), input_share=0.5)
    assert epoch.data_s == 2.0
    assert epoch.step_s == 6.0
    text = epoch.text()
    assert text.startswith("epoch 2 took 8 s:\n  step ")
    assert "one of 5 s, when functions are traced and compiled" in text
    assert "data " in text
    assert "validation" not in text


def test_other_threads_are_passed_over(hands):
    clock = EpochClock(hands)
    clock.begin(1)
    thread = threading.Thread(target=_spend, args=(clock, hands, CALLBACKS, 4.0))
    thread.start()
    thread.join()
    assert clock.end().parts == {"Keras itself": 4.0}


def test_an_exception_leaves_no_part_open(hands):
    clock = EpochClock(hands)
    clock.begin(1)
    with pytest.raises(ZeroDivisionError), clock.part(STEP):
        raise ZeroDivisionError
    hands.at += 1
    assert clock.end().parts["Keras itself"] == 1.0
    assert clock.end() is None
