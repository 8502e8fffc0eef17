"""Devices, or hosts, that the others wait for: the same one is behind in most steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.overlap.device_use import DeviceUse
from tfprof.results.host_steps import HostSteps, Straggler
from tfprof.results.step_windows import StepWindow

Ints = npt.NDArray[np.int64]

# of a step's period, by which it is behind the others
_BEHIND = 0.1
_FEWEST_STEPS = 2


def straggling(
    kind: str, names: Sequence[str], time: Ints, periods: Ints, took: str
) -> Straggler | None:
    """`time` has a row a step, a column each of `names`."""
    steps, count = time.shape
    if count < 2 or steps < _FEWEST_STEPS:
        return None
    last = time.argmax(axis=1)
    which = int(np.bincount(last, minlength=count).argmax())
    others = np.median(np.delete(time, which, axis=1), axis=1)
    lead = time[:, which] - others
    behind = (last == which) & (lead > _BEHIND * periods)
    if 2 * np.count_nonzero(behind) <= steps:
        return None
    usual = float(np.median(lead[behind]))
    share = float(np.median(lead[behind] / periods[behind]))
    count = int(np.count_nonzero(behind))
    return Straggler(kind, names[which], took, count, steps, int(usual), share)


def straggling_devices(
    devices: Sequence[DeviceUse], windows: Sequence[StepWindow]
) -> list[Straggler]:
    """By the work they do, and by when they are done: waiting in a collective is no work."""
    if len(devices) < 2 or not windows:
        return []
    names = [one.name for one in devices]
    periods = np.array([window.period for window in windows], np.int64)
    work = np.stack([one.work for one in devices], axis=1)
    finished = np.stack([one.finished for one in devices], axis=1)
    everyone = (finished >= 0).all(axis=1)
    found = [
        straggling("device", names, work, periods, "work"),
        straggling("device", names, finished[everyone], periods[everyone], "end"),
    ]
    return list(_once(found))


def _once(found: Sequence[Straggler | None]) -> Iterator[Straggler]:
    """One reason for each is enough."""
    told: set[str] = set()
    for one in found:
        if one is not None and one.name not in told:
            told.add(one.name)
            yield one


def straggling_hosts(found: Sequence[HostSteps]) -> list[Straggler]:
    """By how long their own markers are open without waiting in collectives for other hosts.

    Only the steps that all of them have are compared, by number: hosts' clocks may differ. Steps
    that were found by different rules are numbered differently.
    """
    rows = [{window.number: row for row, window in enumerate(one.steps.windows)} for one in found]
    common = sorted(set.intersection(*map(set, rows))) if len(found) > 1 else []
    if not common or len({one.steps.rule for one in found}) > 1:
        return []
    places = [[mine[number] for number in common] for mine in rows]
    time = [_own_time(one)[mine] for one, mine in zip(found, places, strict=True)]
    periods = [np.array(one.steps.periods)[mine] for one, mine in zip(found, places, strict=True)]
    usual = np.median(periods, axis=0).astype(np.int64)
    names = [one.host for one in found]
    behind = straggling("host", names, np.stack(time, axis=1), usual, "step")
    return [] if behind is None else [behind]


def _own_time(one: HostSteps) -> Ints:
    """Without what every device did nothing but wait in a collective, at least."""
    open_ = np.array([window.duration for window in one.steps.windows], np.int64)
    waited = [np.subtract(use.collectives, use.collectives_hidden) for use in one.devices]
    own: Ints = np.maximum(open_ - np.min(waited, axis=0) if waited else open_, 0)
    return own
