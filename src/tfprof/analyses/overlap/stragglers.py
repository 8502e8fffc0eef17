"""Devices, or hosts, that the others wait for: the same one is behind in most steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tfprof.analyses.overlap.device_use import DeviceUse
from tfprof.analyses.steps.windows import StepWindow

Ints = npt.NDArray[np.int64]

# of a step's period, by which it is behind the others
_BEHIND = 0.1
_FEWEST_STEPS = 2


@dataclass(frozen=True, slots=True)
class Straggler:
    """`name` was behind in `steps` of `of_steps`, usually by `behind` picoseconds.

    Behind is: what it `took` is more than half of the others took, by a tenth of the period.
    """

    name: str
    took: str
    steps: int
    of_steps: int
    behind: int
    share: float


def straggling(names: Sequence[str], time: Ints, periods: Ints, took: str) -> Straggler | None:
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
    return Straggler(names[which], took, int(np.count_nonzero(behind)), steps, int(usual), share)


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
        straggling(names, work, periods, "work"),
        straggling(names, finished[everyone], periods[everyone], "end"),
    ]
    return list(_once(found))


def _once(found: Sequence[Straggler | None]) -> Iterator[Straggler]:
    """One reason for each is enough."""
    told: set[str] = set()
    for one in found:
        if one is not None and one.name not in told:
            told.add(one.name)
            yield one
