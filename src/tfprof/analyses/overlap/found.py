"""Who was at work in the steps of a host, who waited, and for what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tfprof.analyses.overlap.device_use import DeviceUse, device_uses
from tfprof.analyses.overlap.gaps import Gap, longest_gaps
from tfprof.analyses.overlap.host_use import HostUse, host_use
from tfprof.analyses.overlap.launches import LaunchUse, launch_uses
from tfprof.analyses.overlap.stragglers import Straggler, straggling, straggling_devices
from tfprof.analyses.step_time.activity import PlaneActivities
from tfprof.analyses.step_time.classify import Classified
from tfprof.analyses.steps.windows import Steps

Ints = npt.NDArray[np.int64]

CPU = "ops on the CPU"


@dataclass(frozen=True, slots=True)
class Overlap:
    """`gaps` are of devices; of the model's ops on the CPU where there is no device.

    `devices` are those that ran anything, `unused` the names of the others.
    """

    host: str
    steps: Steps
    periods: Ints
    devices: Sequence[DeviceUse]
    unused: Sequence[str]
    cpu: HostUse
    gaps: Sequence[Gap]
    launches: Sequence[LaunchUse]
    stragglers: Sequence[Straggler]

    def share(self, time: Ints) -> float | None:
        """Of the periods of all steps; None where there is no time to share."""
        whole = int(self.periods.sum())
        return int(time.sum()) / whole if whole else None

    @property
    def waited_for_others(self) -> Ints:
        """A step, how long at least every device did nothing but wait in a collective."""
        waited = [one.collectives - one.collectives_hidden for one in self.devices]
        return np.min(waited, axis=0) if waited else np.zeros(len(self.periods), np.int64)


def overlap(host: str, planes: Sequence[Classified], steps: Steps) -> Overlap:
    """`planes` are those of the host and its devices, as a Breakdown has them."""
    windows = steps.windows
    every = device_uses(planes, windows)
    devices = [one for one in every if len(one.when_busy)]
    cpu = host_use(planes, windows)
    threads = [PlaneActivities(one) for one in planes if not one.is_device]
    busy = {one.name: one.when_busy for one in devices}
    if not busy and cpu.model.any():
        busy = {CPU: cpu.when_model}
    return Overlap(
        host,
        steps,
        np.array([window.period for window in windows], np.int64),
        devices,
        [one.name for one in every if not len(one.when_busy)],
        cpu,
        longest_gaps(busy, threads, steps) if busy and windows else [],
        launch_uses(planes, devices, windows),
        straggling_devices(devices, windows),
    )


def straggling_hosts(found: Sequence[Overlap]) -> list[Straggler]:
    """By how long their own markers are open without waiting in collectives for other hosts.

    Only the steps that all of them have are compared, by number: hosts' clocks may differ. Steps
    that were found by different rules are numbered differently.
    """
    numbers = [[window.number for window in one.steps.windows] for one in found]
    common = sorted(set.intersection(*map(set, numbers))) if len(found) > 1 else []
    if not common or len({one.steps.rule for one in found}) > 1:
        return []
    columns = [[mine.index(number) for number in common] for mine in numbers]
    time = [_own_time(one)[rows] for one, rows in zip(found, columns, strict=True)]
    periods = [one.periods[rows] for one, rows in zip(found, columns, strict=True)]
    usual = np.median(periods, axis=0).astype(np.int64)
    behind = straggling([one.host for one in found], np.stack(time, axis=1), usual, "step")
    return [] if behind is None else [behind]


def _own_time(one: Overlap) -> Ints:
    open_ = np.array([window.duration for window in one.steps.windows], np.int64)
    own: Ints = np.maximum(open_ - one.waited_for_others, 0)
    return own
