"""The lanes of a timeline: how busy they were, and what took longest in them."""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.analyses.self_time import self_times
from tfprof.analyses.timeline.lanes import lanes, merged
from tfprof.analyses.timeline.picked import Filters, picked
from tfprof.answers.common import folded
from tfprof.answers.timeline_asked import PS, Timeline, kind_of
from tfprof.model import units
from tfprof.model.devices import short_names
from tfprof.model.xspace import HOST_THREADS, Plane
from tfprof.views.shapes import Column, LaneBar, Lanes, Table, Unit, Value

Ints = npt.NDArray[np.int64]

_LANES_SHOWN = 7
_STRETCHES = 600
_NAMED = 6


@dataclass(frozen=True, slots=True)
class Lane:
    """Rows of one lane that ran between two times."""

    plane: Plane
    device: str
    thread: str
    rows: Ints
    busy: tuple[Ints, Ints]

    @property
    def busy_ps(self) -> int:
        return int((self.busy[1] - self.busy[0]).sum())


def lanes_of(asked: Timeline, filters: Filters, begin: int, end: int) -> Iterator[Lane]:
    short = short_names(_device(plane) for plane in asked.space.planes if len(plane.events))
    for plane in asked.space.planes:
        for one in picked(plane, filters):
            start = plane.events.start_ps[one.rows]
            stop = start + plane.events.duration_ps[one.rows]
            lane = lanes(start, stop, nested=not plane.is_placed)
            for number in range(int(lane.max()) + 1):
                mine = lane == number
                title = plane.line_name(one.line)
                yield Lane(
                    plane,
                    short[_device(plane)],
                    f"{title} ({number + 1})" if number else title,
                    one.rows[mine],
                    merged(np.maximum(start[mine], begin), np.minimum(stop[mine], end)),
                )


def _device(plane: Plane) -> str:
    known = plane.name == HOST_THREADS or plane.is_device or plane.is_placed
    return plane.device.removesuffix("/stream:all") if known else plane.name


def drawing(asked: Timeline, drawn: Sequence[Lane], begin: int, end: int) -> Lanes:
    """The busiest lanes, in the order of the file."""
    ranked = sorted(range(len(drawn)), key=lambda at: -drawn[at].busy_ps)
    shown = sorted(at for at in ranked[:_LANES_SHOWN] if drawn[at].busy_ps)
    labels = _labels(drawn)
    rest = len([lane for lane in drawn if lane.busy_ps]) - len(shown)
    idle = sum(1 for lane in drawn if not lane.busy_ps)
    left = [folded(rest, "less busy")] if rest else []
    left += [f"{units.plural(idle, 'lane')} with nothing that takes time"] if idle else []
    return Lanes(
        "Lanes",
        (units.duration(asked.since_zero(begin)), units.duration(asked.since_zero(end))),
        [_bar(drawn[at], labels[at], begin, end) for at in shown],
        _lane_table(drawn),
        " · ".join(left),
    )


def _lane_table(drawn: Sequence[Lane]) -> Table:
    columns = [
        Column("device", "device"),
        Column("thread", "thread"),
        Column("events", "events", Unit.COUNT),
        Column("busy_us", "busy", Unit.MICROS),
    ]
    rows: list[list[Value]] = [
        [lane.device, lane.thread, len(lane.rows), lane.busy_ps / PS] for lane in drawn
    ]
    return Table(columns, rows)


def _labels(drawn: Sequence[Lane]) -> list[str]:
    """Threads without long numbers, told apart by short ones; devices if there are several."""
    plain = [re.sub(r"/-?\d{4,}", "", lane.thread) for lane in drawn]
    devices = {lane.device for lane in drawn}
    full = [
        f"{lane.device} {name}" if len(devices) > 1 else name
        for lane, name in zip(drawn, plain, strict=True)
    ]
    several = Tally(full)
    seen: Tally[str] = Tally()
    found = []
    for name in full:
        seen[name] += 1
        found.append(f"{name} #{seen[name]}" if several[name] > 1 else name)
    return found


def _bar(lane: Lane, label: str, begin: int, end: int) -> LaneBar:
    starts, stops = lane.busy
    edges = begin + (end - begin) * np.arange(_STRETCHES + 1, dtype=np.float64) / _STRETCHES
    # how long the lane was busy until each time: flat in gaps, rising where something runs
    points = np.stack([starts, stops], axis=1).reshape(-1).astype(np.float64)
    total = np.stack([np.cumsum(stops - starts) - (stops - starts), np.cumsum(stops - starts)], 1)
    until = np.interp(edges, points, total.reshape(-1))
    width = max(1.0, (end - begin) / _STRETCHES)
    return LaneBar(
        label,
        np.clip(np.diff(until) / width, 0, 1).tolist(),
        lane.busy_ps / max(1, end - begin),
        list(_longest(lane, begin, end)),
    )


def _longest(lane: Lane, begin: int, end: int) -> Iterator[tuple[float, float, str]]:
    """What took longest by itself, longest first, with its place."""
    events = lane.plane.events
    start, duration = events.start_ps[lane.rows], events.duration_ps[lane.rows]
    own = self_times(np.zeros(len(start), np.int64), start, duration)
    whole = max(1, end - begin)
    for at in np.argsort(-own, kind="stable")[:_NAMED].tolist():
        first = max(0, int(start[at]) - begin) / whole
        last = min(whole, int(start[at] + duration[at]) - begin) / whole
        yield first, last, kind_of(lane.plane.name_of(int(lane.rows[at])))


def lanes_data(drawn: Sequence[Lane]) -> list[dict[str, Any]]:
    return [
        {
            "device": lane.device,
            "thread": lane.thread,
            "events": len(lane.rows),
            "busy_us": lane.busy_ps / PS,
        }
        for lane in drawn
    ]
