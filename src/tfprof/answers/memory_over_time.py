"""Memory over time as curves: for the terminal and for a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfprof.analyses.measured_memory.devices import DeviceMemory, highest_in_boxes, span_ns
from tfprof.analyses.measured_memory.usage import Usage
from tfprof.model import units
from tfprof.model.profile import ProfileData
from tfprof.views.chart import Chart
from tfprof.views.shapes import Curve, Series, Unit

_MOST_BOXES = 1000
# what begins within this part of the time is shown from the beginning of the step or capture on
_EARLY = 0.25
_LARGEST = 2


def series_of(devices: Sequence[DeviceMemory]) -> Series:
    """A curve for each device, around the highest peak of all.

    The highest level of each part of the time, so that no peak is lost, and that at the end. Of
    several runs it is the one with the peak that is shown.
    """
    highest = max(devices, key=lambda one: one.peak)
    shown = [_beside(one, highest.highest) for one in devices]
    first, last = span_ns(shown)
    if 0 < first < (last - first) * _EARLY:
        first = 0
    boxes = max(1, min(_MOST_BOXES, (last - first) // 1000))
    # a change at the very start is in the first box
    edges = np.linspace(first - 1, last, boxes + 1).astype(np.int64)
    curves = [
        Curve(one.device, [*highest_in_boxes(usage, edges).tolist(), usage.residue])
        for one, usage in zip(devices, shown, strict=True)
    ]
    points = ((edges[:-1] + 1) // 1000).tolist()
    return Series([*points, last // 1000], curves, Unit.MICROS)


def _beside(device: DeviceMemory, other: Usage) -> Usage:
    """Of a device the stretch of the same step, where there is one."""
    numbers = {step.number for step in other.steps}
    same = [one for one in device.stretches if numbers & {step.number for step in one.steps}]
    return max(same or device.stretches, key=lambda one: one.peak)


def time_chart(data: ProfileData, devices: Sequence[DeviceMemory]) -> Chart:
    highest = max(devices, key=lambda one: one.peak)
    usage = highest.highest
    at = f"{units.exact(usage.peak)} bytes on {highest.device}"
    at += f" after {units.duration(usage.peak_ns / 1000)}"
    if usage.peak_step is not None:
        at += f", in step {usage.peak_step}"
    largest = [
        f"{units.size(block.bytes)} {block.kind or 'block'} of {block.name or 'no named op'}"
        for block in usage.live[:_LARGEST]
    ]
    return Chart(
        "Memory over time",
        f"{data.title} · measured",
        "time",
        "bytes in use" if usage.before is not None else "bytes in use beside the variables",
        series_of(devices),
        notes=[f"Peak: {at}", *(f"At the peak: {one}" for one in largest)],
    )
