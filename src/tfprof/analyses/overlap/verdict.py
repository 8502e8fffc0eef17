"""What a step is bound by: where most of its time goes that could be saved."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tfprof.results.categories import Category
from tfprof.results.host_steps import DeviceSteps, HostSteps, Times, WaitedFor
from tfprof.results.input_bound import HIGHLY
from tfprof.results.steps import Bound, Verdict

_OF_HOST = {
    Category.INPUT: Bound.INPUT,
    Category.COMPILATION: Bound.COMPILATION,
    Category.HOST_MODEL: Bound.COMPUTE,
    Category.HOST_TF_DATA: Bound.HOST,
    Category.HOST_PYTHON: Bound.HOST,
    Category.COLLECTIVES: Bound.COMMUNICATION,
}
_WAITED_FOR = {
    WaitedFor.INPUT: Bound.INPUT,
    WaitedFor.LAUNCH: Bound.LAUNCH,
    WaitedFor.DEVICE: Bound.COMMUNICATION,
    WaitedFor.HOST: Bound.HOST,
    WaitedFor.UNKNOWN: Bound.UNKNOWN,
}


def verdict(host: HostSteps) -> Verdict:
    """The wait that takes most of a step if that is much of it, else what takes most.

    Where there are devices, their time is the time; those that compute nothing have no say.
    """
    computing = [one for one in host.devices if any(one.compute)]
    shares = _of_devices(computing, host) if computing else _of_threads(host)
    waits = {bound: share for bound, share in shares.items() if bound.is_wait}
    worst = max(waits, key=waits.__getitem__)
    most = max(shares, key=shares.__getitem__)
    chosen = worst if waits[worst] >= HIGHLY else most
    return Verdict(chosen, shares[chosen], shares)


def _of_devices(devices: Sequence[DeviceSteps], host: HostSteps) -> Mapping[Bound, float]:
    found = dict.fromkeys(Bound, 0.0)
    whole = max(1, sum(host.steps.periods)) * len(devices)
    for one in devices:
        found[Bound.COMPUTE] += sum(one.compute) / whole
        found[Bound.COPIES] += _exposed(one.copies, one.copies_hidden) / whole
        found[Bound.COMMUNICATION] += _exposed(one.collectives, one.collectives_hidden) / whole
        for reason, times in one.waited.items():
            found[_WAITED_FOR[reason]] += sum(times) / whole
    return found


def _exposed(times: Times, hidden: Times) -> int:
    return sum(times) - sum(hidden)


def _of_threads(host: HostSteps) -> Mapping[Bound, float]:
    found = dict.fromkeys(Bound, 0.0)
    average = host.average_of(host.time)
    whole = max(1, math.fsum(average.values()))
    for category, time in average.items():
        found[_OF_HOST.get(category, Bound.UNKNOWN)] += time / whole
    return found
