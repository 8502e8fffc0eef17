"""Who was at work in the steps of a host, who waited, and for what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.overlap.device_use import DeviceUse, device_uses
from tfprof.analyses.overlap.gaps import longest_gaps
from tfprof.analyses.overlap.host_use import HostUse, host_use
from tfprof.analyses.overlap.launches import LaunchUse, launch_uses
from tfprof.analyses.overlap.stragglers import straggling_devices
from tfprof.analyses.step_time.activity import PlaneActivities
from tfprof.analyses.step_time.classify import Classified
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.host_steps import Gap, Straggler
from tfprof.results.step_windows import Steps

Ints = npt.NDArray[np.int64]

CPU = "ops on the CPU"


@frozen_dataclass
class Overlap:
    """`gaps` are of devices; of the model's ops on the CPU where there is no device.

    `devices` are those that ran anything, `unused` the names of the others.
    """

    periods: Ints
    devices: Sequence[DeviceUse]
    unused: Sequence[str]
    cpu: HostUse
    gaps: Sequence[Gap]
    launches: Sequence[LaunchUse]
    stragglers: Sequence[Straggler]


def overlap(planes: Sequence[Classified], steps: Steps) -> Overlap:
    """`planes` are those of the host and its devices, as a Breakdown has them."""
    windows = steps.windows
    every = device_uses(planes, windows)
    devices = [one for one in every if len(one.when_active)]
    cpu = host_use(planes, windows)
    threads = [PlaneActivities(one) for one in planes if not one.is_device]
    busy = {one.name: one.when_active for one in devices}
    if not busy and cpu.model.any():
        busy = {CPU: cpu.when_model}
    return Overlap(
        np.array(steps.periods, np.int64),
        devices,
        [one.name for one in every if not len(one.when_active)],
        cpu,
        longest_gaps(busy, threads, steps) if busy and windows else [],
        launch_uses(planes, devices, windows),
        straggling_devices(devices, windows),
    )
