"""What the time of each step went to.

At any instant much goes on at once. It counts for one category, the first in the order of
Category; so the categories of a step add up to its period, to the picosecond.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.step_time.category_codes import CATEGORIES
from tfprof.analyses.step_time.classify import Classified, classified, told_once
from tfprof.analyses.step_time.queued import queued
from tfprof.analyses.steps.detect import find_steps
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.xspace import Plane, Space
from tfprof.results.categories import Category
from tfprof.results.step_windows import Steps
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]
_GoingOn = Mapping[Category, Intervals]

# a capture with none of these was made by a tracer that leaves ops out
_OF_OPS = (
    Category.INPUT, Category.HOST_MODEL, Category.HOST_TF_DATA, Category.DEVICE_COMPUTE_16,
    Category.DEVICE_COMPUTE_32,
)  # fmt: skip


@frozen_dataclass
class Breakdown:
    """The steps of one host with all its devices. Picoseconds; a row a step, a column a category.

    `gross` is how long a category went on, whatever else did; there, nothing adds up. `count` is
    how many of its events began in a step.
    `devices` has the same as `time` with only one of the devices that ran anything.
    """

    host: str
    steps: Steps
    time: Ints
    gross: Ints
    count: Ints
    devices: Mapping[str, Ints]
    planes: Sequence[Classified] = field(repr=False)
    going_on: Mapping[Category, Intervals] = field(repr=False)
    space: Space = field(repr=False)

    def of(self, category: Category) -> Ints:
        found: Ints = self.time[:, CATEGORIES.index(category)]
        return found

    @property
    def averaged(self) -> slice:
        return self.steps.averaged

    def average(self) -> dict[Category, float]:
        return self.average_of(self.time)

    def average_of(self, matrix: Ints) -> dict[Category, float]:
        return dict(zip(CATEGORIES, matrix[self.averaged].mean(axis=0).tolist(), strict=True))

    def won_by(self, category: Category) -> Intervals:
        """When the time counted for a category: it went on, and none before it did."""
        before = CATEGORIES[: CATEGORIES.index(category)]
        others = Intervals.none().join(*(self.going_on[other] for other in before))
        return self.going_on[category].minus(others)

    @property
    def ops_recorded(self) -> bool:
        return any(len(self.going_on[category]) for category in _OF_OPS)

    @property
    def input_share(self) -> float | None:
        """What an average step waits of its time; None where ops were not recorded."""
        if not self.ops_recorded:
            return None
        average = self.average()
        return average[Category.INPUT] / max(1, math.fsum(average.values()))

    def with_only(self, device: str) -> Breakdown:
        """As if the other devices were not there."""
        planes = [one for one in self.planes if not one.is_device or one.device == device]
        return _of_planes(self.space, self.host, planes, self.steps)


def breakdowns(space: Space) -> Iterator[Breakdown]:
    """Of every host whose steps are known."""
    hosts = space.hosts
    for host in hosts:
        steps = find_steps(space, host if len(hosts) > 1 else None)
        if steps.windows:
            yield breakdown(space, host, steps)


def breakdown(space: Space, host: str, steps: Steps) -> Breakdown:
    return _of_planes(space, host, list(_classified(space, host, steps)), steps)


def _of_planes(space: Space, host: str, planes: Sequence[Classified], steps: Steps) -> Breakdown:
    host_side = _going_on([one for one in planes if not one.is_device], steps)
    device_side = _devices(planes)
    waiting = queued(planes)
    any_queue = _with_queue(host_side, Intervals.none().join(*waiting.values()))
    everything = _joined([any_queue, *device_side.values()])
    return Breakdown(
        host,
        steps,
        _first_that_goes_on(everything, steps),
        _gross(everything, steps),
        _counts(planes, steps),
        {
            name: _first_that_goes_on(
                _joined([_with_queue(host_side, waiting.get(name, Intervals.none())), own]), steps
            )
            for name, own in device_side.items()
        },
        planes,
        everything,
        space,
    )


def _with_queue(host_side: _GoingOn, queue: Intervals) -> _GoingOn:
    """A device that has work waiting in its queue does not wait for input, but for its launch."""
    if not len(queue):
        return host_side
    return {
        **host_side,
        Category.INPUT: host_side[Category.INPUT].minus(queue),
        Category.KERNEL_LAUNCH: host_side[Category.KERNEL_LAUNCH].join(queue),
    }


def _devices(planes: Sequence[Classified]) -> dict[str, _GoingOn]:
    """What went on on each device that did anything."""
    parts: dict[str, list[Classified]] = {}
    for one in planes:
        if one.is_device:
            parts.setdefault(one.device, []).append(one)
    found = {name: _going_on(mine, None) for name, mine in parts.items()}
    return {name: own for name, own in found.items() if any(map(len, own.values()))}


def _classified(space: Space, host: str, steps: Steps) -> Iterator[Classified]:
    mine = told_once([plane for plane in space.planes if plane.host == host])
    with_devices = any(plane.is_device and len(plane.events) for plane in mine)
    for plane in mine:
        found = classified(plane, _marker_names(space, plane, steps), with_devices=with_devices)
        if found is not None:
            yield found


def _marker_names(space: Space, plane: Plane, steps: Steps) -> set[str]:
    """What the events are called that open and close steps: they tell nothing of the time."""
    if steps.plane is None or steps.line is None or space.planes[steps.plane] is not plane:
        return set()
    rows, events = plane.rows_of_line(steps.line), plane.events
    begin, end, _ = _bounds(steps)
    start = events.start_ps[rows]
    place = np.minimum(np.searchsorted(begin, start), len(begin) - 1)
    marks = (begin[place] == start) & (end[place] == start + events.duration_ps[rows])
    return {plane.event_names.name[name] for name in distinct(events.name[rows][marks]).tolist()}


def _going_on(planes: Sequence[Classified], steps: Steps | None) -> _GoingOn:
    found = {
        category: Intervals.none().join(*(one.intervals(category) for one in planes))
        for category in CATEGORIES
    }
    if steps is not None:  # the marker is open, whoever holds it
        begin, end, until = _bounds(steps)
        found[Category.OTHER] = found[Category.OTHER].join(Intervals.union(begin, end))
        found[Category.IDLE] = Intervals.union(begin, until)
    return found


def _joined(sides: Sequence[_GoingOn]) -> _GoingOn:
    if len(sides) == 1:
        return sides[0]
    return {
        category: Intervals.none().join(*(side[category] for side in sides))
        for category in CATEGORIES
    }


def _first_that_goes_on(going_on: _GoingOn, steps: Steps) -> Ints:
    """What each category adds to those before it; the last, being idle, is all the time."""
    begin, _, until = _bounds(steps)
    covered = np.zeros((len(begin), len(CATEGORIES)), np.int64)
    so_far = Intervals.none()
    for column, category in enumerate(CATEGORIES):
        so_far = so_far.join(going_on[category])
        covered[:, column] = so_far.covered_between(begin, until)
    added: Ints = np.diff(covered, axis=1, prepend=0)
    return added


def _gross(going_on: _GoingOn, steps: Steps) -> Ints:
    begin, _, until = _bounds(steps)
    return np.stack(
        [going_on[category].covered_between(begin, until) for category in CATEGORIES], axis=1
    )


def _counts(planes: Sequence[Classified], steps: Steps) -> Ints:
    """By step and category, how many events begin in a step."""
    begin, _, until = _bounds(steps)
    until[:-1] = np.minimum(until[:-1], begin[1:])
    edges = np.maximum.accumulate(np.stack([begin, until], axis=1).reshape(-1))
    # the first column is that of what counts for nothing, the last row that of what is in no step
    width = len(CATEGORIES) + 1
    found = np.zeros((len(begin) + 1) * width, np.int64)
    rows = np.stack([np.full(len(begin), len(begin)), np.arange(len(begin))], axis=1).reshape(-1)
    places = np.append(rows, len(begin)).astype(np.int32) * width + 1
    for one in planes:
        for line in range(len(one.plane.lines)):
            span = one.plane.rows_of_line(line)
            # in a line events stand by start: it is enough to look for where steps begin and end
            ends = np.searchsorted(one.plane.events.start_ps[span], edges)
            place = np.repeat(places, np.diff(ends, prepend=0, append=span.stop - span.start))
            place += one.code[span]
            found += np.bincount(place, minlength=len(found))
    return found.reshape(-1, width)[:-1, 1:]


def _bounds(steps: Steps) -> tuple[Ints, Ints, Ints]:
    windows = steps.windows
    return (
        np.array([window.begin for window in windows], np.int64),
        np.array([window.end for window in windows], np.int64),
        np.array([window.until for window in windows], np.int64),
    )
