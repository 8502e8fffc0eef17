"""XPlane: a capture of TensorFlow 2's profiler, one file a host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.trace import Trace
from tfprof.model.units import PS_A_NANOSECOND
from tfprof.model.xspace import ENVIRONMENT, SPREAD_NS, Environment, Events, Plane, Space
from tfprof.model.xstats import values_by_name
from tfprof.sources.files.reader import corrupt, parse, read_or_map, top_fields
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.xplane.cheap_ops import said_of_cheap_ops
from tfprof.sources.xplane.device_clock import on_device_clock
from tfprof.sources.xplane.limits import said_of_tracer
from tfprof.sources.xplane.ops import executions
from tfprof.sources.xplane.profile_options import PackedOptions
from tfprof.sources.xplane.riegeli import joined_records
from tfprof.wire.fields import Fields, Progress, WireFault
from tfprof.wire.mapped import look
from tfprof.wire.packed_stats import PackedStats
from tfprof.wire.riegeli import is_riegeli
from tfprof.wire.schema import Proto
from tfprof.wire.spans import Spans
from tfprof.wire.xspace import (
    LineColumns,
    PlaneColumns,
    all_event_stats,
    event_stats,
    name_stats,
    read_lines,
    read_plane,
)
from tfprof.wire.xstats import StatTable

Ints = npt.NDArray[np.int64]

_PLANES, _ERRORS, _WARNINGS, _HOSTNAMES = 1, 2, 3, 4
_SUFFIX = late_pattern(r"\.xplane\.(pb|riegeli)$")
_START, _STOP, _OPTIONS = "profile_start_time", "profile_stop_time", "profile_options"
# a later time than this is none, but damage
_LATEST_NS = 1 << 62
# 27 days: no capture lasts so long
_LONGEST_PS = 1 << 61
_NO_TIMES = np.zeros(0, np.int64)
# enough to tell the format
_HEAD = 64
# ops are recorded from this level on
_OPS_LEVEL = 2


def read(path: Path, _: int, progress: Progress | None) -> FilePiece:
    warnings: list[str] = []
    data, fields = _top(path, warnings, progress)
    ends_early = bool(warnings)
    host = next(iter(_strings(data, fields, _HOSTNAMES)), _SUFFIX.sub("", path.name))
    space = _space(_File(data, path, host), fields, warnings, progress)
    rows, threads = executions(space)
    warnings += [f"{path}: the profiler reports: {text}" for text in space.errors]
    warnings += [f"{path}: the profiler warns: {text}" for text in space.warnings]
    warnings += said_of_tracer(space, path)
    warnings += said_of_cheap_ops(space, rows, path)
    if not space.event_count:
        warnings.append(f"{path} has no events: nothing ran while the profiler was on")
    elif not len(rows):
        warnings.append(f"{path} has no TensorFlow ops{_why_no_ops(space)}")
    steps = tuple(step for step in rows.step_numbers if step >= 0)
    trace = Trace(rows, steps, threads=threads, space=space)
    return FilePiece(trace=trace, warnings=warnings, ends_early=ends_early)


def origin_by_lines(path: Path) -> int:
    """The instant that the capture counts from, without decoding its events."""
    data, fields = _top(path, [], None)
    lines, began = [], 0
    found = fields.repeated(_PLANES)
    for start, end in zip(found.start.tolist(), found.end.tolist(), strict=True):
        try:
            name, own = read_lines(data, start, end)
        except WireFault as fault:
            raise corrupt(fault, path) from None
        lines.append(own)
        if name == ENVIRONMENT and not began:
            began = began_ns(data[start:end], path)
    return counted_from_base(earliest(_bases(lines))[0], began)


def began_ns(plane: bytes, path: Path) -> int:
    """When the profiler was started, as the environment states it; 0 if it does not."""
    file = _File(plane, path, "")
    try:
        made = _plane(file, read_plane(plane, 0, len(plane)), 0)
    except WireFault as fault:
        raise corrupt(fault, path) from None
    return _environment(file, (made,)).start_ns or 0


def _top(path: Path, warnings: list[str], progress: Progress | None) -> tuple[bytes, Fields]:
    data = read_or_map(path, progress)
    if is_riegeli(data[:_HEAD]):
        data = joined_records(data, path, warnings)
    return top_fields(data, "XSpace", path, warnings)


def counted_from_base(base: int, began: int) -> int:
    """Lines count from the start of the profiler, unless their times are of a calendar already."""
    return base + began if base < began else base


@frozen_dataclass
class _File:
    data: bytes
    path: Path
    host: str


def _strings(data: bytes, fields: Fields, number: int) -> list[str]:
    found = fields.repeated(number)
    return Spans(data, found.start, found.end).texts()


def _space(file: _File, fields: Fields, warnings: list[str], progress: Progress | None) -> Space:
    planes = []
    found = fields.repeated(_PLANES)
    for start, end in zip(found.start.tolist(), found.end.tolist(), strict=True):
        try:
            plane = read_plane(file.data, start, end, progress)
            planes.append(on_device_clock(file.data, plane))
        except WireFault as fault:
            raise corrupt(fault, file.path) from None
    base, far = earliest(_bases([plane.lines for plane in planes]))
    if far:
        warnings.append(
            f"{file.path}: {far} of its lines are over 90 days older than the others; "
            "their events are shown at the beginning"
        )
    for plane in planes:
        nameless = int(np.count_nonzero(plane.events.name == plane.event_names.ids.unknown))
        if nameless:
            warnings.append(f"{file.path}: {nameless:,} events of {plane.name} have no name")
    odd = sum(map(_not_believed, planes))
    if odd:
        warnings.append(
            f"{file.path}: {odd:,} events begin or end weeks after the others; their times are cut,"
            " and what is said of them is not to be trusted"
        )
    made = tuple(_plane(file, plane, base) for plane in planes)
    environment = _environment(file, made)
    return Space(
        made,
        counted_from_base(base, environment.start_ns or 0),
        {file.host: environment},
        tuple(_strings(file.data, fields, _ERRORS)),
        tuple(_strings(file.data, fields, _WARNINGS)),
    )


def _bases(lines: list[LineColumns]) -> Ints:
    """Of lines with events."""
    own = [some.timestamp_ns[np.diff(some.first) > 0] for some in lines]
    return np.concatenate([*own, np.zeros(0, np.int64)])


def earliest(bases: Ints) -> tuple[int, int]:
    """The earliest base of a line, and how many lines are too old to count."""
    if not len(bases):
        return 0, 0
    # in Python's integers: the difference of two damaged ones may need more than 64 bits
    near = [base for base in bases.tolist() if int(bases.max()) - base <= SPREAD_NS]
    return min(near), len(bases) - len(near)


def _plane(file: _File, plane: PlaneColumns, base: int) -> Plane:
    # who reads stats is not to hold times, which another clock may take the place of
    untimed = replace(plane.events, offset_ps=_NO_TIMES, duration_ps=_NO_TIMES)
    return Plane(
        file.host,
        plane.id,
        plane.name,
        plane.lines,
        _events(plane, base),
        plane.event_names,
        plane.stat_names,
        values_by_name(plane.stats, file.data, plane.stat_names),
        file.data,
        _StatsInFile(file, replace(plane, events=untimed)),
    )


def _events(plane: PlaneColumns, base: int) -> Events:
    """Events on the clock of the whole capture."""
    late = np.array([max(0, own - base) for own in plane.lines.timestamp_ns.tolist()], np.int64)
    start, duration = plane.events.offset_ps, plane.events.duration_ps
    if _not_believed(plane):
        start, duration = (np.clip(t, -_LONGEST_PS, _LONGEST_PS) for t in (start, duration))
    late_ps = np.minimum(late, _LONGEST_PS // PS_A_NANOSECOND) * PS_A_NANOSECOND
    for line in np.flatnonzero(late_ps).tolist():
        # in place: nobody else looks at the offsets
        start[plane.lines.first[line] : plane.lines.first[line + 1]] += late_ps[line]
    return Events(plane.events.name, start, duration, plane.events.occurrences)


def _not_believed(plane: PlaneColumns) -> int:
    """How many events have times that 64 bits could not hold the sums of."""
    times = (plane.events.offset_ps, plane.events.duration_ps)
    if all(t.min(initial=0) >= -_LONGEST_PS and t.max(initial=0) <= _LONGEST_PS for t in times):
        return 0
    far = [(time > _LONGEST_PS) | (time < -_LONGEST_PS) for time in times]
    return int(np.count_nonzero(far[0] | far[1]))


@frozen_dataclass
class _StatsInFile:
    file: _File
    plane: PlaneColumns

    def of_events(self, rows: Ints, names: Sequence[int]) -> StatTable:
        try:
            return event_stats(self.file.data, self.plane, rows, names)
        except WireFault as fault:
            raise corrupt(fault, self.file.path) from None

    def of_all_events(self) -> PackedStats:
        try:
            return all_event_stats(self.file.data, self.plane)
        except WireFault as fault:
            raise corrupt(fault, self.file.path) from None

    def of_names(self) -> StatTable:
        try:
            return name_stats(self.file.data, self.plane)
        except WireFault as fault:
            raise corrupt(fault, self.file.path) from None

    def described(self, name: int) -> Proto:
        names = self.plane.event_names
        start, end = int(names.start[name]), int(names.end[name])
        look(self.file.data, start, end)
        return parse("XEventMetadata", self.file.data[start:end], self.file.path, start)


def _environment(file: _File, planes: tuple[Plane, ...]) -> Environment:
    facts = next((plane.facts for plane in planes if plane.name == ENVIRONMENT), {})
    start, stop, options = facts.get(_START), facts.get(_STOP), facts.get(_OPTIONS)
    return Environment(
        start if isinstance(start, int) and 0 < start < _LATEST_NS else None,
        stop if isinstance(stop, int) and 0 < stop < _LATEST_NS else None,
        PackedOptions(options, file.path) if isinstance(options, bytes) else None,
    )


def _why_no_ops(space: Space) -> str:
    levels = [e.options.host_tracer_level for e in space.environments.values() if e.options]
    if levels and max(levels) < _OPS_LEVEL:
        return f": they are recorded from host_tracer_level {_OPS_LEVEL} on, this is {max(levels)}"
    return " among its events"
