"""What each host of a capture tells about its steps, without the events."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.overlap.device_use import DeviceUse
from tfprof.analyses.overlap.gaps import OUTSIDE
from tfprof.analyses.overlap.host_overlap import overlap
from tfprof.analyses.overlap.host_traits import host_traits
from tfprof.analyses.overlap.launches import LaunchUse
from tfprof.analyses.overlap.meetings import host_meetings
from tfprof.analyses.step_time.breakdown import Breakdown
from tfprof.analyses.step_time.category_codes import CATEGORIES
from tfprof.analyses.step_time.slow_steps import slow_steps
from tfprof.model.xspace import HOST_THREADS
from tfprof.results.categories import Category
from tfprof.results.host_steps import (
    DeviceSteps,
    Did,
    HostSteps,
    Launches,
    Matrix,
    SlowStep,
    Times,
    WaitedFor,
)

Ints = npt.NDArray[np.int64]


def host_steps(found: Breakdown, rank: int = 0) -> HostSteps:
    seen = overlap(found.planes, found.steps)
    steps = found.steps
    return HostSteps(
        rank,
        found.host,
        # where in the capture they are marked says nothing elsewhere
        replace(steps, windows=tuple(steps.windows), dropped=tuple(steps.dropped), plane=None,
                line=None),
        _matrix(found.time),
        _matrix(found.gross),
        _matrix(found.count),
        found.ops_recorded,
        any(len(one.rows(Category.INPUT)) for one in found.planes if not one.is_device),
        _slow(found),
        tuple(_device(one, found.devices[one.name]) for one in seen.devices),
        tuple(seen.unused),
        _times(seen.cpu.model),
        _times(seen.cpu.pipeline),
        _times(seen.cpu.either),
        tuple(seen.cpu.pools),
        tuple(seen.gaps),
        tuple(map(_launches, seen.launches)),
        tuple(seen.stragglers),
        *_outside(found),
        origin_ns=found.space.origin_ns,
        meetings=host_meetings(found.planes, steps.windows),
        traits=host_traits(found.space, found.host),
    )  # fmt: skip


def _outside(found: Breakdown) -> tuple[Times | None, Times | None]:
    """When nothing was recorded at all, in a step and of that behind its marker.

    Unknown of the runs of sessions, whose records are of ops alone, and of hosts whose threads were
    not recorded or at a level without ops.
    """
    threads = any(one.plane.name == HOST_THREADS for one in found.planes)
    if not threads or not found.ops_recorded:
        return None, None
    recorded = Intervals.none().join(
        *(one.intervals(category) for one in found.planes for category in CATEGORIES)
    )
    begin, end, until = (
        np.array([getattr(window, name) for window in found.steps.windows], np.int64)
        for name in ("begin", "end", "until")
    )
    whole = until - begin - recorded.covered_between(begin, until)
    return _times(whole), _times(until - end - recorded.covered_between(end, until))


def with_only(whole: HostSteps, alone: Breakdown) -> HostSteps:
    """What its time went to if the other devices were not there."""
    return replace(
        whole,
        time=_matrix(alone.time),
        gross=_matrix(alone.gross),
        count=_matrix(alone.count),
        ops_recorded=alone.ops_recorded,
        slow=_slow(alone),
    )


def of_fragment(whole: HostSteps, missing: tuple[str, ...]) -> HostSteps:
    """Where much was not recorded, a time in which nothing was recorded tells nothing of Python."""
    gaps = tuple(
        replace(gap, meanwhile=tuple(_as_unknown(one) for one in gap.meanwhile))
        for gap in whole.gaps
    )
    return replace(whole, missing=missing, gaps=gaps, outside=None, between=None)


def _as_unknown(one: Did) -> Did:
    return replace(one, what=WaitedFor.UNKNOWN.label) if one.what == OUTSIDE else one


def _slow(found: Breakdown) -> tuple[SlowStep, ...]:
    return tuple(slow_steps(found.steps.windows, found.time, found.planes))


def _device(one: DeviceUse, time: Ints) -> DeviceSteps:
    return DeviceSteps(
        one.name,
        _matrix(time),
        _times(one.active),
        _times(one.compute),
        _times(one.copies),
        _times(one.copies_hidden),
        _times(one.collectives),
        _times(one.collectives_hidden),
        _times(one.span),
        _times(one.span_idle),
        {reason: _times(times) for reason, times in one.waited.items()},
        one.barriers,
    )


def _launches(one: LaunchUse) -> Launches:
    return Launches(
        one.device, one.launches, int(one.bound.sum()), one.kernel, one.delay, one.interval,
        one.idle_share, _times(one.waited),
    )  # fmt: skip


def _times(values: Ints) -> Times:
    return tuple(values.tolist())


def _matrix(values: Ints) -> Matrix:
    return tuple(map(tuple, values.tolist()))
