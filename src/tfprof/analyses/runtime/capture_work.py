"""FLOPs and bytes that a capture tells itself: stats of a TPU, shapes of XLA's programs."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tfprof.analyses.device_events.columns import DeviceEvents
from tfprof.analyses.runtime.hlo_work import HloWork, works_of
from tfprof.analyses.runtime.op_events import OpEvents, on_planes
from tfprof.analyses.runtime.op_work import EventWork
from tfprof.late_pattern import late_pattern
from tfprof.model.hlo_programs import Program
from tfprof.model.trace import Trace
from tfprof.results.device_work import Activity

Floats = npt.NDArray[np.float64]
Pair = tuple[Floats, Floats]

_FLOPS, _BYTES = "flops", "bytes_accessed"
# what is started and waited for says its bytes twice: they count where the time is
_STARTS = late_pattern(r".*-start(?:\.\d+)?")


def capture_work(trace: Trace, runs: OpEvents) -> EventWork | None:
    """Of one execution at its first kernel, nothing at the others; None without anything told."""
    if trace.space is None or runs.event is None or not runs.on_device.any():
        return None
    devices = trace.space.devices
    if not trace.space.compiled.by_name and not any(it.has_stat(_FLOPS) for it in devices):
        return None
    flops, moved = (np.full(len(runs), np.nan) for _ in range(2))
    unknown = np.zeros(len(runs), bool)
    for plane, here, mine in on_planes(trace.space, runs.event, runs.on_device):
        if not plane.is_device or plane.is_placed:
            continue
        events = DeviceEvents(plane, trace.space.compiled)
        place = np.searchsorted(events.rows, mine)
        told = _stated(events) if plane.has_stat(_FLOPS) else _by_programs(events)
        flops[here], moved[here] = (column[place] for column in told)
        computes = events.doing(Activity.COMPUTE)[place]
        unknown[here] = computes & np.isnan(flops[here])
    later = runs.on_device & ~runs.begins & ~np.isnan(flops)
    flops[later] = moved[later] = 0.0
    return None if np.isnan(flops).all() else EventWork(flops, moved, unknown)


def _stated(events: DeviceEvents) -> Pair:
    plane, rows = events.plane, events.rows
    found = []
    for name in (_FLOPS, _BYTES):
        stat = plane.stat(name)
        column = np.full(len(plane.events), np.nan)
        column[stat.rows] = np.maximum(stat.floats(), 0.0)
        found.append(column[rows])
    starts = events.kernel.map(lambda name: _STARTS.fullmatch(name) is not None)
    for column in found:
        column[starts] = 0.0
    return found[0], found[1]


def _by_programs(events: DeviceEvents) -> Pair:
    known = [_work(program, name) for program, name in events.different_instructions]
    flops = np.array([np.nan if one is None else one.flops for one in known] or [np.nan], float)
    moved = np.array([np.nan if one is None else one.bytes for one in known] or [np.nan], float)
    codes = events.instruction_codes
    return flops[codes], moved[codes]


@lru_cache(maxsize=16)
def _works(program: Program) -> dict[str, HloWork | None]:
    return dict(works_of(program))


def _work(program: Program | None, instruction: str) -> HloWork | None:
    return None if program is None else _works(program).get(instruction)


def merged_work(first: EventWork | None, other: EventWork | None) -> EventWork | None:
    """What the first knows, else the other."""
    if first is None or other is None:
        return first if first is not None else other
    lost = np.isnan(first.flops)
    flops = np.where(lost, other.flops, first.flops)
    moved = np.where(lost, other.bytes, first.bytes)
    unknown = np.where(lost, first.unknown | other.unknown, first.unknown) & np.isnan(flops)
    return EventWork(flops, moved, unknown)
