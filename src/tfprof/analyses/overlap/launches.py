"""Whether devices wait for the host to launch their kernels: the evidence, step by step.

A host that launches kernels more slowly than a device runs them leaves it idle between them, for
a little each time. So what counts is the idle time of a device during which the host was at it:
from one launch to the next, unless these are far apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.overlap.device_use import DeviceUse
from tfprof.analyses.step_time.category_codes import code_of
from tfprof.analyses.step_time.classify import Classified
from tfprof.analyses.step_time.queued import launched, launches
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.medians import median_of
from tfprof.results.categories import Category
from tfprof.results.step_windows import StepWindow
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]

_COMPUTE = (code_of(Category.DEVICE_COMPUTE_16), code_of(Category.DEVICE_COMPUTE_32))
# launches further apart than so many usual distances have something else between them
_FAR_APART = 4
# XProf calls a launch share from here on high
LAUNCH_BOUND = 0.15


@frozen_dataclass
class LaunchUse:
    """Picoseconds. `waited` is, a step, how long the device idled while the host launched.

    The medians are over kernels whose launch is known by its number: how long one runs, how long
    after its launch began it starts, how far launches are apart.
    """

    device: str
    launches: int
    waited: Ints
    idle: Ints
    periods: Ints
    kernel: int
    delay: int
    interval: int

    @property
    def bound(self) -> npt.NDArray[np.bool_]:
        """The steps a device would have ended sooner with quicker launches."""
        waits: npt.NDArray[np.bool_] = self.waited >= LAUNCH_BOUND * self.periods
        return waits & (self.kernel < self.interval)

    @property
    def idle_share(self) -> float | None:
        """How much of the idle time the host spent with launches; None without idle time."""
        idle = int(self.idle.sum())
        return int(self.waited.sum()) / idle if idle else None


def launch_uses(
    planes: Sequence[Classified], devices: Sequence[DeviceUse], windows: Sequence[StepWindow]
) -> list[LaunchUse]:
    """Of the devices whose kernels can be told by number who launched them."""
    calls = _Calls.of(planes, windows)
    if calls is None:
        return []
    found = [_use(one, planes, calls, windows) for one in devices]
    return [one for one in found if one is not None]


@frozen_dataclass
class _Calls:
    """The calls that launch, by number; in none of them did the host wait for input."""

    number: Ints
    start: Ints
    end: Ints
    thread: Ints
    waiting: Intervals

    @classmethod
    def of(cls, planes: Sequence[Classified], windows: Sequence[StepWindow]) -> _Calls | None:
        for one in planes:
            rows, number = launches(one)
            start, end = one.plane.events.start_ps[rows], one.plane.events.ends(rows)
            inside = _inside(start, windows)
            if inside.any():
                thread = one.plane.line_of(rows[inside])
                order = np.argsort(number[inside], kind="stable")
                return cls(
                    number[inside][order], start[inside][order], end[inside][order],
                    thread[order], one.intervals(Category.INPUT),
                )  # fmt: skip
        return None

    def of_numbers(self, numbers: Ints) -> tuple[Ints, Ints]:
        """For the numbers that are known: their place in what is asked, and the call."""
        place = np.searchsorted(self.number, numbers)
        place = np.minimum(place, len(self.number) - 1)
        known = np.flatnonzero(self.number[place] == numbers)
        return known, place[known]


def _use(
    device: DeviceUse, planes: Sequence[Classified], calls: _Calls, windows: Sequence[StepWindow]
) -> LaunchUse | None:
    kernels = [_kernels(one) for one in planes if one.is_device and _is_of(one, device)]
    start, end, number = (np.concatenate(column) for column in zip(*kernels, strict=True))
    known, call = calls.of_numbers(number)
    if not len(known):
        return None
    order = np.lexsort((calls.start[call], calls.thread[call]))
    mine = call[order]
    apart = np.diff(calls.start[mine])[np.diff(calls.thread[mine]) == 0]
    apart = apart[apart > 0]
    interval = int(median_of(apart)) if len(apart) else 0
    launching = _stretches(calls, mine, interval).minus(calls.waiting)
    begin = np.array([window.begin for window in windows], np.int64)
    until = np.array([window.until for window in windows], np.int64)
    return LaunchUse(
        device.name,
        len(distinct(call)),
        launching.minus(device.when_active).covered_between(begin, until),
        until - begin - device.active,
        until - begin,
        int(median_of((end - start)[known])),
        int(median_of(np.maximum(start[known] - calls.start[call], 0))),
        interval,
    )


def _is_of(one: Classified, device: DeviceUse) -> bool:
    return (one.plane.host, one.device) == (device.host, device.name)


def _kernels(one: Classified) -> tuple[Ints, Ints, Ints]:
    """Start, end and number of those that compute."""
    rows, number = launched(one)
    computes = np.isin(one.code[rows], _COMPUTE)
    rows, events = rows[computes], one.plane.events
    return events.start_ps[rows], events.ends(rows), number[computes]


def _stretches(calls: _Calls, mine: Ints, interval: int) -> Intervals:
    """From each call to the next of its thread; to its own end where that is far."""
    start, end, thread = calls.start[mine], calls.end[mine], calls.thread[mine]
    until = end.copy()
    near = (np.diff(thread) == 0) & (np.diff(start) <= _FAR_APART * interval)
    until[:-1][near] = np.maximum(end[:-1], start[1:])[near]
    return Intervals.union(start, until)


def _inside(time: Ints, windows: Sequence[StepWindow]) -> npt.NDArray[np.bool_]:
    periods = Intervals.union([one.begin for one in windows], [one.until for one in windows])
    return periods.covered(time + 1) > periods.covered(time)
