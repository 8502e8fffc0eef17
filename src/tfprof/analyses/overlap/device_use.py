"""How busy each device was in each step, and what of its copies ran beside its kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.step_time.classify import Classified
from tfprof.results.categories import Category
from tfprof.results.step_windows import StepWindow

Ints = npt.NDArray[np.int64]

# a device that waits for input does nothing
_WORK = tuple(category for category in Category if category is not Category.INPUT)
_COMPUTE = (Category.DEVICE_COMPUTE_16, Category.DEVICE_COMPUTE_32)
_COPIES = (Category.HOST_TO_DEVICE, Category.DEVICE_TO_DEVICE, Category.OUTPUT)


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """Picoseconds, one value a step. `hidden` is what of copies or collectives kernels cover."""

    host: str
    name: str
    busy: Ints
    compute: Ints
    copies: Ints
    copies_hidden: Ints
    collectives: Ints
    collectives_hidden: Ints
    # from the begin of a step to the end of the last that ran in it; -1 where nothing did
    finished: Ints
    when_busy: Intervals = field(repr=False)

    @property
    def work(self) -> Ints:
        """Without the collectives, in which devices wait for each other."""
        return self.busy - (self.collectives - self.collectives_hidden)


def device_uses(planes: Sequence[Classified], windows: Sequence[StepWindow]) -> list[DeviceUse]:
    """By name; the streams that a session run tells apart are one device."""
    devices: dict[tuple[str, str], list[Classified]] = {}
    for one in planes:
        if one.is_device:
            key = one.plane.host, one.device
            devices.setdefault(key, []).append(one)
    return [_use(*key, devices[key], windows) for key in sorted(devices)]


def _use(host: str, name: str, parts: list[Classified], windows: Sequence[StepWindow]) -> DeviceUse:
    begin = np.array([window.begin for window in windows], np.int64)
    until = np.array([window.until for window in windows], np.int64)
    busy = Intervals.none().join(*_going_on(parts, _WORK))
    compute = Intervals.none().join(*_going_on(parts, _COMPUTE))
    copies = Intervals.none().join(*_going_on(parts, _COPIES))
    collectives = Intervals.none().join(*_going_on(parts, (Category.COLLECTIVES,)))
    return DeviceUse(
        host,
        name,
        busy.covered_between(begin, until),
        compute.covered_between(begin, until),
        copies.covered_between(begin, until),
        copies.both(compute).covered_between(begin, until),
        collectives.covered_between(begin, until),
        collectives.both(compute.join(copies)).covered_between(begin, until),
        _finished(busy, begin, until),
        busy,
    )


def _going_on(parts: list[Classified], categories: Sequence[Category]) -> Iterator[Intervals]:
    for one in parts:
        for category in categories:
            yield one.intervals(category)


def _finished(busy: Intervals, begin: Ints, until: Ints) -> Ints:
    last = np.searchsorted(busy.starts, until, side="left") - 1
    if not len(busy):
        return np.full(len(begin), -1, np.int64)
    end = np.minimum(busy.ends[np.maximum(last, 0)], until)
    found: Ints = np.where((last >= 0) & (end > begin), end - begin, -1)
    return found
