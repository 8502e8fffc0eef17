"""Threads take no more cores than there are for this process, however many of them ask."""

import pytest

from tfprof.wire import cores


@pytest.fixture(autouse=True)
def _four(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    monkeypatch.setattr(cores._Shared, "most", None)


def test_they_are_those_of_the_system_or_fewer():
    assert cores.cores() == 4
    cores.use_at_most(2)
    assert cores.cores() == 2
    cores.use_at_most(9)
    assert cores.cores() == 4
    cores.use_at_most(0)
    assert cores.cores() == 1


def test_who_asks_gets_what_is_free_and_one_at_least():
    cores.use_at_most(3)
    with cores.at_work(2) as first, cores.at_work(2) as second, cores.at_work(2) as third:
        assert (first, second, third) == (2, 1, 1)
    with cores.at_work(2) as again:
        assert again == 2


def test_a_fault_gives_them_back():
    cores.use_at_most(2)
    with pytest.raises(ValueError, match="no"), cores.at_work(2):
        raise ValueError("no")
    with cores.at_work(2) as again:
        assert again == 2
