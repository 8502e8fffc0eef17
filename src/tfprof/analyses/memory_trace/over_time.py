"""Memory over time: a curve for each device around the highest peak of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.memory_trace.devices import DeviceMemory, highest_in_boxes, span_ns
from tfprof.analyses.memory_trace.usage import Usage
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.units import NS_A_MICROSECOND
from tfprof.results.times import Nanoseconds

_MOST_BOXES = 1000
# what begins within this part of the time is shown from the beginning of the step or capture on
_EARLY = 0.25


@frozen_dataclass
class OverTime:
    """The highest level from each point to the next, so that no peak is lost; the last at the end.

    By device. Of several runs it is the one with the peak that is shown.
    """

    points: tuple[Nanoseconds, ...]
    levels: Mapping[str, tuple[int, ...]]


def over_time(devices: Sequence[DeviceMemory]) -> OverTime:
    highest = max(devices, key=lambda one: one.peak)
    shown = {one.device: _beside(one, highest.highest) for one in devices}
    boxes = Boxes.between(*span_ns(shown.values()))
    levels = {device: boxes.levels(usage) for device, usage in shown.items()}
    return OverTime(boxes.points, levels)


@frozen_dataclass
class Boxes:
    """Parts of a time, all of one length, in nanoseconds."""

    first: int
    last: int

    @classmethod
    def between(cls, first: int, last: int) -> Boxes:
        return cls(0 if 0 < first < (last - first) * _EARLY else first, last)

    @property
    def edges(self) -> npt.NDArray[np.int64]:
        count = max(1, min(_MOST_BOXES, (self.last - self.first) // NS_A_MICROSECOND))
        # a change at the very start is in the first box
        return np.linspace(self.first - 1, self.last, count + 1).astype(np.int64)

    @property
    def points(self) -> tuple[Nanoseconds, ...]:
        return tuple(map(Nanoseconds, [*(self.edges[:-1] + 1).tolist(), self.last]))

    def levels(self, usage: Usage) -> tuple[int, ...]:
        return (*highest_in_boxes(usage, self.edges).tolist(), usage.residue)


def _beside(device: DeviceMemory, other: Usage) -> Usage:
    """Of a device the stretch of the same step, where there is one."""
    numbers = {step.number for step in other.steps}
    same = [one for one in device.stretches if numbers & {step.number for step in one.steps}]
    return max(same or device.stretches, key=lambda one: one.peak)
