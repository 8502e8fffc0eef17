"""Work on two threads: all of it is done, once, and what goes wrong is told."""

import threading

import pytest

from tfprof.wire.side_by_side import side_by_side


@pytest.mark.parametrize("count", [0, 1, 2, 1000])
def test_every_piece_is_done_once(count):
    done = []
    side_by_side(done.append, range(count))
    assert sorted(done) == list(range(count))


def test_one_piece_is_done_here():
    threads = []
    side_by_side(lambda _: threads.append(threading.current_thread()), [1])
    assert threads == [threading.current_thread()]


def test_both_threads_work(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1}, raising=False)
    both, threads = threading.Barrier(2, timeout=60), set()

    def work(_):
        threads.add(threading.get_ident())
        both.wait()

    side_by_side(work, range(8))
    assert len(threads) == 2


@pytest.mark.parametrize("here", [True, False])
def test_a_fault_of_either_thread_is_raised_and_ends_the_work(monkeypatch, here):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1}, raising=False)
    caller, both, done = threading.get_ident(), threading.Barrier(2, timeout=60), []

    def work(piece):
        if piece < 2:  # one each
            both.wait()
        if (threading.get_ident() == caller) is here:
            raise ValueError("this piece is bad")
        done.append(piece)

    with pytest.raises(ValueError, match="this piece is bad"):
        side_by_side(work, range(8))
    assert len(done) < 8


@pytest.mark.parametrize("cores", [{0}, {0, 1}])
def test_without_another_core_or_room_for_a_thread_all_is_done_here(monkeypatch, cores):
    def refuse(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("os.sched_getaffinity", lambda _: cores, raising=False)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    threads = []
    side_by_side(lambda _: threads.append(threading.get_ident()), range(5))
    assert threads == [threading.get_ident()] * 5
