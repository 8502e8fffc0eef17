"""A TensorFlow 2 capture as it was recorded: hosts, their planes, lines of events, and stats.

Times are picoseconds from the origin of the whole capture: lines count from bases of their own,
and only what is brought to one base can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import ALL_STREAMS, is_part
from tfprof.model.interned import looked_up
from tfprof.model.pickling import PicklesWithoutCaches
from tfprof.model.providers import PlaneStats
from tfprof.model.units import PS_A_NANOSECOND
from tfprof.model.xstats import StatColumn, StatValue, merged
from tfprof.wire.packed_stats import PackedStats
from tfprof.wire.xspace import LineColumns, NameColumns
from tfprof.wire.xstats import StatTable

if TYPE_CHECKING:
    from tfprof.model.hlo_programs import Programs

Ints = npt.NDArray[np.int64]
Value = TypeVar("Value", bound=np.generic)

HOST_THREADS = "/host:CPU"
PROGRAMS = "/host:metadata"
ENVIRONMENT = "Task Environment"
_DEVICE = "/device:"
_JOB = "/job:"
HLO_PROTO = "Hlo Proto"
# picoseconds of 64 bits reach 106 days; what is further apart than this cannot share an origin
SPREAD_NS = 90 * 24 * 3600 * 10**9
# events whose names are looked at together
_BLOCK = 1 << 16


@frozen_dataclass
class Events:
    """One row an event, line after line; in a line by start, outer before inner ones.

    `name` is a row of the plane's event names. `occurrences` is not 0 where a producer only
    counted: such an event has no time of its own.
    """

    name: npt.NDArray[np.int32]
    start_ps: Ints
    duration_ps: Ints
    occurrences: Ints

    def __len__(self) -> int:
        return len(self.name)

    def times(self, rows: Ints) -> tuple[Ints, Ints]:
        """Start and duration of some, whose rows rise: not copied where these are all."""
        if len(rows) == len(self):
            return self.start_ps, self.duration_ps
        return self.start_ps[rows], self.duration_ps[rows]

    @property
    def end_ps(self) -> Ints:
        return self.start_ps + self.duration_ps

    def ends(self, rows: Ints | slice) -> Ints:
        """When some of them end: of a few, all need not be added up."""
        return self.start_ps[rows] + self.duration_ps[rows]


@frozen_dataclass(slots=False)
class Plane(PicklesWithoutCaches):
    """What one part of a machine recorded. `lines.timestamp_ns` are the bases the file gives."""

    host: str
    id: int
    name: str
    lines: LineColumns
    events: Events
    event_names: NameColumns
    stat_names: NameColumns
    # what the plane itself states, such as the capabilities of a device
    facts: Mapping[str, StatValue]
    data: bytes = field(repr=False)
    # read when asked for
    stats: PlaneStats = field(repr=False)

    @property
    def is_device(self) -> bool:
        return self.name.startswith(_DEVICE)

    @property
    def is_placed(self) -> bool:
        """Whether it is called as TensorFlow 1 calls a device, or a part of one."""
        return self.name.startswith(_JOB) or is_part(self.name)

    @property
    def device(self) -> str:
        """What its ops ran on; of a device the original's name for all its streams together."""
        if self.is_placed:
            return self.name
        name = self.name + ALL_STREAMS if self.is_device else "/device:CPU:0"
        return f"/host:{self.host}{name}" if self.host else name

    def name_of(self, event: int) -> str:
        return self.event_names.name[int(self.events.name[event])]

    def named(self, *names: str) -> Ints:
        """The rows of the events with one of these names."""
        known = enumerate(self.event_names.name)
        return self.rows_called([row for row, name in known if name in names])

    def rows_called(self, names: Sequence[int]) -> Ints:
        """The rows of the events with one of these names, which are told by their rows.

        Most names that are asked for are of no event, or one is: then no table is looked up.
        """
        wanted = np.zeros(len(self.event_names), bool)
        wanted[list(names)] = True
        wanted &= self._events_called > 0
        some = np.flatnonzero(wanted)
        if len(some) < 2:
            return np.flatnonzero(self.events.name == some[0]) if len(some) else some
        found = np.empty(int(self._events_called[some].sum()), np.int64)
        place = 0
        # some at a time: the columns in between would take more memory than what is found
        for first in range(0, len(self.events), _BLOCK):
            rows = np.flatnonzero(wanted.take(self.events.name[first : first + _BLOCK]))
            np.add(rows, first, out=found[place : place + len(rows)])
            place += len(rows)
        return found

    @cached_property
    def _events_called(self) -> Ints:
        """By name, how many events have it."""
        found = np.zeros(len(self.event_names), np.int64)
        for first in range(0, len(self.events), _BLOCK):
            some = self.events.name[first : first + _BLOCK]
            found += np.bincount(some, minlength=len(found))
        return found

    def by_name(self, values: npt.NDArray[Value]) -> npt.NDArray[Value]:
        """For each event what its name has, of one value a name."""
        return looked_up(values, self.events.name)

    def rows_of_line(self, line: int) -> slice:
        return slice(int(self.lines.first[line]), int(self.lines.first[line + 1]))

    def line_of(self, events: Ints) -> Ints:
        """The line that each of some events is in."""
        return line_of(self.lines, events)

    def line_name(self, line: int) -> str:
        return self.lines.display_name[line] or self.lines.name[line]

    def has_stat(self, name: str) -> bool:
        return bool(self.stat_names.rows_named(name))

    def stat(self, name: str) -> StatColumn:
        """One stat of all events: an event's own, else the one its name carries."""
        return self._lent(self._column(self._event_stats, name, len(self.events)), name)

    def stat_of_rows(self, name: str, rows: Ints) -> StatColumn:
        """The same of some events, whose rows rise, without reading the stats of all the others."""
        return self.stats_of_rows(rows, name)[0]

    def stats_of_rows(self, rows: Ints, *names: str) -> list[StatColumn]:
        """Several stats of some events, read once; `rows` of each are among the rows asked for."""
        all_read = "_event_stats" in self.__dict__
        wanted = [row for name in names for row in self.stat_names.rows_named(name)]
        stats = self._event_stats if all_read else self.stats.of_events(rows, wanted)
        count = len(self.events)
        found = [self._column(stats, name, count) for name in names]
        if all_read:
            found = [replace(column, table=column.table.owned_by(rows)) for column in found]
        return [self._lent(own, name, rows) for own, name in zip(found, names, strict=True)]

    def _lent(self, own: StatColumn, name: str, rows: Ints | None = None) -> StatColumn:
        """With what the names of events carry, for the events that have no stat of their own."""
        shared = self.stat_of_names(name)
        return merged(own, shared, self.events.name, rows) if len(shared) else own

    def stat_of_names(self, name: str) -> StatColumn:
        """One stat of all event names."""
        return self._column(self._name_stats, name, len(self.event_names))

    def _column(self, stats: StatTable | PackedStats, name: str, count: int) -> StatColumn:
        found = stats.named(self.stat_names.rows_named(name))
        return StatColumn(found, count, self.data, self.stat_names)

    @cached_property
    def _event_stats(self) -> PackedStats:
        return self.stats.of_all_events()

    @cached_property
    def _name_stats(self) -> StatTable:
        return self.stats.of_names()

    def later(self, picoseconds: int) -> Plane:
        """The same with all events later."""
        if not picoseconds:
            return self
        events = replace(self.events, start_ps=self.events.start_ps + picoseconds)
        return replace(self, events=events)


def line_of(lines: LineColumns, events: Ints) -> Ints:
    """The same of lines alone, for who is not to hold the events."""
    if (events[1:] < events[:-1]).any():
        found: Ints = np.searchsorted(lines.first, events, side="right") - 1
        return found
    # they rise, as they nearly always do: it is enough to look for where lines begin
    bounds = np.searchsorted(events, lines.first)
    return np.repeat(np.arange(len(lines)), np.diff(bounds))


@frozen_dataclass
class ProfileOptions:
    """How much a host was told to record: of its own threads, its devices, calls of Python."""

    host_tracer_level: int
    device_tracer_level: int
    python_tracer_level: int


@frozen_dataclass(slots=False)
class Environment(PicklesWithoutCaches):
    """How and when a host was profiled; None where its file does not say."""

    start_ns: int | None = None
    stop_ns: int | None = None
    load_options: Callable[[], ProfileOptions] | None = field(default=None, repr=False)

    @cached_property
    def options(self) -> ProfileOptions | None:
        """Read when somebody asks."""
        return self.load_options() if self.load_options is not None else None


@frozen_dataclass(slots=False)
class Space(PicklesWithoutCaches):
    """All planes of one capture, of one host or several.

    `origin_ns` is what `start_ps` counts from: nanoseconds since 1970 if the file says when its
    lines begin to count, else on the clock of the lines.
    """

    planes: tuple[Plane, ...]
    origin_ns: int
    environments: Mapping[str, Environment]
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.environments, *(plane.host for plane in self.planes)]))

    @property
    def event_count(self) -> int:
        return sum(len(plane.events) for plane in self.planes)

    def named(self, name: str) -> tuple[Plane, ...]:
        """The planes of this name, one a host at most."""
        return tuple(plane for plane in self.planes if plane.name == name)

    @property
    def host_threads(self) -> tuple[Plane, ...]:
        """What threads did: TensorFlow's ops, tf.data, Python, memory, calls of the driver."""
        return self.named(HOST_THREADS)

    @property
    def devices(self) -> tuple[Plane, ...]:
        """GPUs, TPUs and what else calls itself a device, by name."""
        found = (plane for plane in self.planes if plane.is_device)
        return tuple(sorted(found, key=lambda plane: (plane.host, plane.name)))

    def programs(self) -> Iterator[tuple[str, bytes]]:
        """The compiled XLA programs: name and HloProto bytes."""
        for plane in self.named(PROGRAMS):
            protos = plane.stat_of_names(HLO_PROTO)
            for row, proto in zip(protos.rows.tolist(), protos.raw(), strict=True):
                yield plane.event_names.name[row], proto

    @cached_property
    def found(self) -> dict[object, object]:
        """What was worked out of it, for who asks again: it does not change."""
        return {}

    @cached_property
    def compiled(self) -> Programs:
        """The same, decoded once."""
        from tfprof.model.hlo_programs import Programs  # most captures have none

        return Programs.of(self.programs())

    @classmethod
    def joined(cls, spaces: list[Space]) -> Space:
        """The captures that several hosts made together."""
        if len(spaces) == 1:
            return spaces[0]
        spaces = on_one_clock(spaces)
        return cls(
            tuple(plane for space in spaces for plane in space.planes),
            spaces[0].origin_ns,
            {host: found for space in spaces for host, found in space.environments.items()},
            tuple(error for space in spaces for error in space.errors),
            tuple(warning for space in spaces for warning in space.warnings),
        )


def on_one_clock(spaces: Sequence[Space]) -> list[Space]:
    """As counted from where the first of them begins, which all then have as their origin."""
    origin = common_origin([space.origin_ns for space in spaces])
    return [counted_from(space, origin) for space in spaces]


def common_origin(origins: Sequence[int]) -> int:
    """The first of them."""
    latest = max(origins, default=0)
    # a host whose clock is far off is shown from the beginning on
    return min((one for one in origins if latest - one <= SPREAD_NS), default=0)


def counted_from(space: Space, origin_ns: int) -> Space:
    if space.origin_ns == origin_ns:
        return space
    later = max(0, space.origin_ns - origin_ns) * PS_A_NANOSECOND
    planes = tuple(plane.later(later) for plane in space.planes)
    return replace(space, planes=planes, origin_ns=origin_ns)
