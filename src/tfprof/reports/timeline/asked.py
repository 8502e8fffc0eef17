"""A run and what is asked about it in time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from tfprof.analyses.events.counters import MemoryCounter, memory_counters
from tfprof.analyses.steps.detect import find_steps
from tfprof.analyses.timeline.event_filters import Filters, first_start, last_end
from tfprof.errors import UsageError
from tfprof.model.profile import ProfileData
from tfprof.model.units import PS_A_MICROSECOND, PS_A_MILLISECOND, PS_A_NANOSECOND, as_micros
from tfprof.model.xspace import Space
from tfprof.reports.shared.run_in_time import run_in_time
from tfprof.reports.timeline.query import Query
from tfprof.results.step_windows import StepWindow

# a month in picoseconds; columns hold four times as much
_FAR = 1 << 61


class Timeline:
    """A run and a question about it, brought together."""

    def __init__(self, data: ProfileData, query: Query) -> None:
        self.data, self.query = data, query
        run = run_in_time(data, "a timeline shows executions")
        self.space: Space = run.space
        self.reads: Mapping[str, Sequence[str]] = run.inputs
        self._counters: Mapping[int, Sequence[MemoryCounter]] = run.counters
        # whole nanoseconds: what comes after keeps its digits
        self.zero = first_start(self.space) // PS_A_NANOSECOND * PS_A_NANOSECOND
        self.thread = _pattern(query.thread)
        self._check_times()

    def _check_times(self) -> None:
        begin, end = self.query.begin_ms, self.query.end_ms
        if begin is not None and end is not None and begin >= end:
            raise UsageError(f"--from {begin:g} is not before --to {end:g}")
        length = (last_end(self.space) - self.zero) / PS_A_MILLISECOND
        if begin is not None and begin > length:
            raise UsageError(
                f"--from {begin:g} is behind the end", hint=f"It ends after {length:,.1f} ms."
            )

    @property
    def counters(self) -> Mapping[int, Sequence[MemoryCounter]]:
        if self._counters:
            return self._counters
        return {at: list(memory_counters(plane)) for at, plane in enumerate(self.space.planes)}

    @cached_property
    def steps(self) -> Sequence[StepWindow]:
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


def _pattern(text: str | None) -> re.Pattern[str] | None:
    try:
        return re.compile(text) if text is not None else None
    except re.error as fault:
        raise UsageError(f"--thread {text!r} is no regular expression: {fault}") from None


def nothing_left() -> UsageError:
    return UsageError("no event is left", hint="Loosen --thread, --min-duration or the times.")
