"""A run and what is asked about it in time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from tfprof.analyses.events.counters import MemoryCounter, memory_counters
from tfprof.analyses.events.run_space import RunSpace
from tfprof.analyses.steps.detect import find_steps
from tfprof.analyses.steps.host_clock import steps_of_hosts
from tfprof.analyses.timeline.event_filters import Filters, first_start, last_end
from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host
from tfprof.model.profile import ProfileData
from tfprof.model.units import PS_A_MICROSECOND, PS_A_MILLISECOND, PS_A_NANOSECOND, as_micros
from tfprof.model.xspace import Space
from tfprof.reports.shared.run_in_time import check_events, run_in_time
from tfprof.reports.timeline.clock_shifts import ClockShifts, space_on_clock
from tfprof.reports.timeline.query import Query
from tfprof.results.step_windows import StepWindow

# a month in picoseconds; columns hold four times as much
_FAR = 1 << 61
_SHOWS = "a timeline shows executions"


class Timeline:
    """A run and a question about it, brought together; hosts by clocks that are shifted."""

    def __init__(self, data: ProfileData, query: Query, shifts: ClockShifts | None = None) -> None:
        self.data, self.query = data, query
        self.shifts = ClockShifts() if shifts is None else shifts
        check_events(data, _SHOWS)
        # of several hosts, each is looked at by itself
        self.many = data.hosts.asking is not None
        known = self._ends_of_hosts() if self.many else [self._ends()]
        # whole nanoseconds: what comes after keeps its digits
        first = min((one.first for one in known), default=0)
        self.zero = first // PS_A_NANOSECOND * PS_A_NANOSECOND
        self.last = max((one.last for one in known), default=0)
        # the same for all
        self.origin_ns = next((one.origin_ns for one in known), 0)
        self.thread = _pattern(query.thread)
        self._check_times()

    @cached_property
    def _run(self) -> RunSpace:
        return run_in_time(self.data, _SHOWS)

    def _ends_of_hosts(self) -> list[Ends]:
        hosts = self.data.hosts
        told = zip(hosts, hosts.each(ENDS.key, ends_of), strict=True)
        return [one.later(self.shifts.of(host.rank)) for host, one in told if one is not None]

    def _ends(self) -> Ends:
        return Ends(first_start(self.space), last_end(self.space), self.space.origin_ns)

    @property
    def space(self) -> Space:
        """All of it as one."""
        return self._run.space

    @property
    def reads(self) -> Mapping[str, Sequence[str]]:
        return {} if self.many else self._run.inputs

    @cached_property
    def marking(self) -> Space:
        """The capture of the host whose steps are shown."""
        if not self.many:
            return self.space
        hosts = self.data.hosts
        best = steps_of_hosts(hosts).best
        marked = (host for host in hosts if best is not None and host.rank == best.rank)
        host = next(marked, hosts[0])
        return space_on_clock(host, self.shifts.of(host.rank)) or Space.joined([])

    def _check_times(self) -> None:
        begin, end = self.query.begin_ms, self.query.end_ms
        if begin is not None and end is not None and begin >= end:
            raise UsageError(f"--from {begin:g} is not before --to {end:g}")
        length = (self.last - self.zero) / PS_A_MILLISECOND
        if begin is not None and begin > length:
            raise UsageError(
                f"--from {begin:g} is behind the end", hint=f"It ends after {length:,.1f} ms."
            )

    @property
    def counters(self) -> Mapping[int, Sequence[MemoryCounter]]:
        return self._run.counters or counters_of(self.space)

    @cached_property
    def steps(self) -> Sequence[StepWindow]:
        if self.many:
            best = steps_of_hosts(self.data.hosts).best
            if best is None:
                return ()
            later = self.shifts.of(best.rank)
            return [window.later(later) for window in best.windows] if later else best.windows
        return find_steps(self.space).windows

    def step(self) -> StepWindow | None:
        """The one asked for; None if none was."""
        number = self.query.step
        if number is None:
            return None
        found = [window for window in self.steps if window.number == number]
        if found:
            return found[0]
        if not self.steps:
            raise UsageError("the run marks no steps", hint="--from and --to cut out a part.")
        known = f"{self.steps[0].number} to {self.steps[-1].number}"
        raise UsageError(f"there is no step {number}", hint=f"Steps are {known}.")

    def filters(self, window: StepWindow | None) -> Filters:
        asked = self.query
        begin = None if asked.begin_ms is None else self._at(asked.begin_ms)
        end = None if asked.end_ms is None else self._at(asked.end_ms)
        if window is not None:
            begin = max(window.begin, begin if begin is not None else window.begin)
            end = min(window.end, end if end is not None else window.end)
        shortest = round(asked.min_duration_us * PS_A_MICROSECOND)
        return Filters(begin, end, self.thread, shortest, asked.everything)

    def _at(self, milliseconds: float) -> int:
        """A time that no capture has is before or behind all that it has."""
        at = self.zero + round(milliseconds * PS_A_MILLISECOND)
        return max(-_FAR, min(_FAR, at))

    def since_zero(self, picoseconds: int) -> float:
        """Microseconds from the first event."""
        return as_micros(picoseconds - self.zero)


def counters_of(space: Space) -> Mapping[int, Sequence[MemoryCounter]]:
    return {at: list(memory_counters(plane)) for at, plane in enumerate(space.planes)}


@frozen_dataclass
class Ends:
    """When the first event of a capture began and the last one ended; picoseconds."""

    first: int
    last: int
    origin_ns: int = 0

    def later(self, picoseconds: int) -> Ends:
        return Ends(self.first + picoseconds, self.last + picoseconds, self.origin_ns)


def ends_of(host: Host) -> Ends | None:
    """None where nothing was recorded."""
    space = host.trace.space
    if space is None or not space.event_count:
        return None
    return Ends(first_start(space), last_end(space), space.origin_ns)


ENDS = HostTask("begin and end", ends_of)


def _pattern(text: str | None) -> re.Pattern[str] | None:
    try:
        return re.compile(text) if text is not None else None
    except re.error as fault:
        raise UsageError(f"--thread {text!r} is no regular expression: {fault}") from None


def nothing_left() -> UsageError:
    return UsageError("no event is left", hint="Loosen --thread, --min-duration or the times.")
