"""Devices that the others wait for: behind the middle of them, step after step.

How far is behind is told by the others: a median, and the median deviation from it (MAD), do not
move because one is late. Who is late keeps the others waiting in collectives, and waits least
there itself: so the waiting counts for the one that was waited for, whatever made it late.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.overlap.device_use import DeviceUse
from tfprof.model.medians import median_of, medians_of
from tfprof.results.host_steps import Straggler
from tfprof.results.step_windows import StepWindow

Ints = npt.NDArray[np.int64]

# of a step's period: being behind by less is not worth a word
_BEHIND = 0.1
# deviations of the others, each 1.48 of what chance would make a standard deviation
_FAR = 3 * 1.4826
_FEWEST_STEPS = 2


def straggling(
    kind: str, names: Sequence[str], time: Ints, periods: Ints, took: str
) -> list[Straggler]:
    """The worst first. `time` has a row a step, a column each of `names`."""
    steps, count = time.shape
    if count < 2 or steps < _FEWEST_STEPS:
        return []
    found = []
    for which, name in enumerate(names):
        others = np.delete(time, which, axis=1)
        usual = medians_of(others, 1)
        spread = medians_of(np.abs(others - usual[:, None]), 1)
        lead = time[:, which] - usual
        behind = (lead > _BEHIND * periods) & (lead > _FAR * spread)
        if 2 * np.count_nonzero(behind) <= steps:
            continue
        share = median_of(lead[behind] / periods[behind])
        often, by = int(np.count_nonzero(behind)), int(median_of(lead[behind]))
        found.append(Straggler(kind, name, took, often, steps, by, share))
    return sorted(found, key=lambda one: -one.share)


def straggling_devices(
    devices: Sequence[DeviceUse], windows: Sequence[StepWindow]
) -> list[Straggler]:
    """By the work they do, by how little they wait for others, and by when they are done."""
    if len(devices) < 2 or not windows:
        return []
    names = [one.name for one in devices]
    periods = np.array([window.period for window in windows], np.int64)
    work = np.stack([one.work for one in devices], axis=1)
    waited = np.stack([one.collectives - one.collectives_hidden for one in devices], axis=1)
    met = np.stack([one.collectives > 0 for one in devices], axis=1).all(axis=1)
    finished = np.stack([one.finished for one in devices], axis=1)
    everyone = (finished >= 0).all(axis=1)
    return list(_once([
        *straggling("device", names, work, periods, "work"),
        *straggling("device", names, -waited[met], periods[met], "wait"),
        *straggling("device", names, finished[everyone], periods[everyone], "end"),
    ]))  # fmt: skip


def _once(found: Sequence[Straggler]) -> Iterator[Straggler]:
    """One reason for each is enough."""
    told: set[str] = set()
    for one in found:
        if one.name not in told:
            told.add(one.name)
            yield one
