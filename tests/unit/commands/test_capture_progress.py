from tfprof.commands.capture import _told
from tfprof.remote.addresses import addresses_in
from tfprof.remote.asking import Limits
from tfprof.remote.sampling import Sampling

ADDRESSES = addresses_in(["worker-0:1,worker-1:2"])


def test_a_bar_for_each_process_is_full_when_it_has_answered():
    shown = {}

    def bar(path, whole):
        return lambda done: shown.update({path.name: done / whole})

    heard, ticks = _told(Sampling(ADDRESSES, 2.0, Limits(1)), bar)
    ticks(1.0)
    assert shown == {"worker-0:1": 0.5, "worker-1:2": 0.5}
    heard(ADDRESSES[0])
    ticks(50.0)  # the capture is over, the reply is not here
    assert shown["worker-0:1"] == 1
    assert 0.9 < shown["worker-1:2"] < 1


def test_without_a_terminal_nobody_is_told():
    heard, ticks = _told(Sampling(ADDRESSES, 2.0, Limits(1)), None)
    ticks(1.0)
    heard(ADDRESSES[0])
