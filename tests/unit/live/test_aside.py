"""Work beside the training: one piece after the other, its fault where it is taken."""

import threading

import pytest

from tfprof.live.recording.aside import Aside


def _taken(aside):
    assert aside.wait()
    return aside.taken()


def test_work_is_done_on_another_thread():
    aside = Aside()
    assert not aside.has_news
    assert not aside.wait()
    aside.ask(threading.get_ident)
    assert _taken(aside) != threading.get_ident()
    assert not aside.has_news


def test_of_those_that_wait_the_last_one_counts():
    aside, go_on, made = Aside(), threading.Event(), []
    aside.ask(go_on.wait)
    for number in range(3):
        aside.ask(lambda number=number: made.append(number))
    assert not aside.has_news
    go_on.set()
    assert _taken(aside) is True
    assert _taken(aside) is None
    assert made == [2]
    assert not aside.wait()


def test_a_fault_comes_out_where_it_is_taken_and_the_next_goes_on():
    aside = Aside()
    aside.ask(lambda: 1 // 0)
    aside.ask(lambda: 5)
    assert aside.wait()
    with pytest.raises(ZeroDivisionError):
        aside.taken()
    assert _taken(aside) == 5
