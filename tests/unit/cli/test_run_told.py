"""What is said once a script has ended, of records as they were left."""

from types import SimpleNamespace

import pytest
from made_runs import capture, rank_record

from tfprof.cli.run_told import found_lines

OPTIONS = SimpleNamespace(what="train", follow=False, plan=SimpleNamespace(steps=None))


def told(**changes):
    return list(found_lines([rank_record(**changes)], 0, OPTIONS))


def test_a_record_that_the_disk_had_no_room_for_says_nothing_of_steps():
    """The last one that was written is of the beginning."""
    (line,) = told(state="running", steps=None, captures=[])
    assert line == "nothing was captured, and the record of the run is not finished"


@pytest.mark.parametrize(("state", "said"), [("running", "at least 120"), ("ended", "120")])
def test_steps_of_a_record_that_is_not_finished_are_at_least_so_many(state, said):
    (line,) = told(state=state, captures=[capture("2026_11_17_18_45_05")])
    assert line.startswith(f"steps 3 to 7 of {said} training steps captured")


def test_a_script_that_never_trains():
    first, *_ = told(steps=None, captures=[], other_steps={"predict": 3})
    assert first == "the script made no training step: nothing was captured"
