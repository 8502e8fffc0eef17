"""When a host met others in collectives: what of its capture can be compared with other hosts.

Only collectives in which everybody needs something of everybody are kept: none of them ends
anywhere before it has begun everywhere. Of a broadcast, or of what is sent to one, that is not so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.step_time.classify import Classified
from tfprof.analyses.step_time.queued import waits_in_queues
from tfprof.late_pattern import late_pattern
from tfprof.model.kernel_lines import lines_that_count
from tfprof.model.op_names import instruction_name, op_name
from tfprof.model.xspace import HOST_THREADS, Plane
from tfprof.results.categories import Category
from tfprof.results.meetings import MeetingKind, Meetings, StepMeetings
from tfprof.results.step_windows import StepWindow
from tfprof.wire.distinct import without

Ints = npt.NDArray[np.int64]

_TOGETHER = late_pattern(
    r"all[-_]?reduce|all[-_]?gather|all[-_]?to[-_]?all|reduce[-_]?scatter", re.IGNORECASE
)
# ops of TensorFlow that wait on a thread; one that only prepares a group is none of them
_OPS = late_pattern(r"(?:Collective(?:Reduce|Gather|ReduceScatter|AllToAll)(?:V\d)?)")
# XLA begins some and waits for their end later: both events are one collective
_HALVES = late_pattern(r"(?P<what>.+?)-(?P<half>start|done)(?P<number>\.\d+)?")
# of a step; more of them are kept as so many groups
_MOST = 16
_NAMED = 80


class _One(NamedTuple):
    """An event, or the two of a collective that goes on by itself meanwhile."""

    begin: int
    end: int
    blocked: int


# by name, in the order of time
_Named = Mapping[str, Sequence[_One]]


def host_meetings(planes: Sequence[Classified], windows: Sequence[StepWindow]) -> Meetings:
    """`planes` are those of the host and its devices, as a Breakdown has them."""
    parts = [_by_step(one, windows) for one in _on_devices(planes)]
    exposed: tuple[int, ...] = ()
    if not any(parts):
        parts = [_by_step(one, windows) for one in _on_threads(planes)]
        exposed = _exposed(planes, windows) if any(parts) else ()
    kinds: dict[MeetingKind, int] = {}
    steps: list[StepMeetings | None] = []
    for row in range(len(windows)):
        found = _of_all([part[row] for part in parts if row in part])
        steps.append(_kept(found, kinds) if found else None)
    return Meetings(tuple(kinds), tuple(steps) if kinds else (), exposed)


class _Events(NamedTuple):
    """Collectives of a plane: `sent` is when the host asked for each, which tells its step."""

    names: Sequence[str]
    name: npt.NDArray[np.int32]
    start: Ints
    end: Ints
    sent: Ints


def _on_devices(planes: Sequence[Classified]) -> Iterator[_Events]:
    """Devices run behind the host: a kernel may run while the host is in the next step."""
    launched = {id(one): (rows, sent) for one, rows, sent in waits_in_queues(planes)}
    for one in planes:
        if not one.is_device:
            continue
        plane = one.plane
        named = [bool(_TOGETHER.search(instruction_name(name))) for name in plane.event_names.name]
        rows = plane.rows_called([at for at, is_one in enumerate(named) if is_one])
        if len(rows) and plane.is_device:
            rows = rows[lines_that_count(plane)[plane.line_of(rows)]]
        if len(rows):
            yield _events(plane, rows, _sent(plane, rows, launched.get(id(one))))


def _on_threads(planes: Sequence[Classified]) -> Iterator[_Events]:
    """Without devices, the op itself waits on a thread."""
    for one in planes:
        plane = one.plane
        if one.is_device or plane.name != HOST_THREADS:
            continue
        rows = _op_rows(plane)
        if len(rows):
            yield _events(plane, rows, plane.events.start_ps[rows])


def _op_rows(plane: Plane) -> Ints:
    ops = [op_name(name) for name in plane.event_names.name]
    return plane.rows_called([at for at, op in enumerate(ops) if op and _OPS.fullmatch(op.type)])


def _exposed(planes: Sequence[Classified], windows: Sequence[StepWindow]) -> tuple[int, ...]:
    """How long in each step a thread was in a collective, and none computed."""
    inside, other = Intervals.none(), Intervals.none()
    for one in planes:
        if one.plane.name == HOST_THREADS:
            mine = _op_rows(one.plane)
            rest = without(one.rows(Category.HOST_MODEL), mine)
            inside, other = inside.join(_when(one.plane, mine)), other.join(_when(one.plane, rest))
    begin = np.array([window.begin for window in windows], np.int64)
    until = np.array([window.until for window in windows], np.int64)
    return tuple(inside.minus(other).covered_between(begin, until).tolist())


def _when(plane: Plane, rows: Ints) -> Intervals:
    return Intervals.union(plane.events.start_ps[rows], plane.events.ends(rows))


def _events(plane: Plane, rows: Ints, sent: Ints) -> _Events:
    events = plane.events
    order = np.argsort(events.start_ps[rows], kind="stable")
    rows = rows[order]
    names = plane.event_names.name
    return _Events(names, events.name[rows], events.start_ps[rows], events.ends(rows), sent[order])


def _sent(plane: Plane, rows: Ints, launched: tuple[Ints, Ints] | None) -> Ints:
    """When each was launched; when it began, where that is not known."""
    sent = plane.events.start_ps[rows].copy()
    if launched is not None and len(launched[0]):
        order = np.argsort(launched[0], kind="stable")
        known, begins = launched[0][order], launched[1][order]
        place = np.minimum(np.searchsorted(known, rows), len(known) - 1)
        same = known[place] == rows
        sent[same] = begins[place[same]]
    return sent


def _by_step(events: _Events, windows: Sequence[StepWindow]) -> dict[int, _Named]:
    """The collectives of each step of a plane; steps without are not there."""
    begin = np.array([window.begin for window in windows], np.int64)
    until = np.array([window.until for window in windows], np.int64)
    step = np.searchsorted(begin, events.sent, side="right") - 1
    inside = (step >= 0) & (events.sent < until[np.maximum(step, 0)])
    found: dict[int, dict[str, list[_One]]] = defaultdict(lambda: defaultdict(list))
    columns = (step, events.name, events.start, events.end)
    for row, name, start, end in zip(*(one[inside].tolist() for one in columns), strict=True):
        called = instruction_name(events.names[name])
        found[row][called].append(_One(start, end, end - start))
    whole = ((row, dict(_whole(named))) for row, named in found.items())
    return {row: named for row, named in whole if named}


def _whole(named: _Named) -> Iterator[tuple[str, Sequence[_One]]]:
    """What begins in one event and ends in another as one; halves without the other not at all."""
    for name, mine in named.items():
        match = _HALVES.fullmatch(name)
        if match is None:
            yield name, mine
        elif match["half"] == "start":
            number = match["number"] or ""
            ends = named.get(f"{match['what']}-done{number}", ())
            if len(ends) == len(mine):
                yield (
                    f"{match['what']}{number}",
                    [
                        _One(one.begin, max(one.end, done.end), one.blocked + done.blocked)
                        for one, done in zip(mine, ends, strict=True)
                    ],
                )


def _of_all(parts: Sequence[_Named]) -> list[tuple[str, _One]]:
    """Of all devices as one: it comes with its last device, and that waits least."""
    found: dict[tuple[str, int], list[_One]] = defaultdict(list)
    for part in parts:
        for name, mine in part.items():
            for place, one in enumerate(mine):
                found[name, place].append(one)
    return [
        (
            name,
            _One(
                max(one.begin for one in same),
                max(one.end for one in same),
                min(one.blocked for one in same),
            ),
        )
        for (name, _), same in sorted(found.items())
    ]


def _kept(found: Sequence[tuple[str, _One]], kinds: dict[MeetingKind, int]) -> StepMeetings:
    from hashlib import blake2b  # loads OpenSSL, and few steps have collectives

    digest = blake2b(digest_size=8)
    for name, _ in found:
        digest.update(name.encode(errors="replace") + b"\0")
    width = -(-len(found) // _MOST)
    groups = [found[at : at + width] for at in range(0, len(found), width)]
    kind = MeetingKind(digest.hexdigest(), tuple(group[-1][0][:_NAMED] for group in groups))
    last = [group[-1][1] for group in groups]
    return StepMeetings(
        kinds.setdefault(kind, len(kinds)),
        tuple(one.begin for one in last),
        tuple(one.end for one in last),
        tuple(sum(one.blocked for _, one in group) for group in groups),
    )
