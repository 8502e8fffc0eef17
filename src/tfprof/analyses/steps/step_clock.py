"""What began in a step, on a host or on several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.steps.detect import find_steps, first_steps
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.interned import Interned
from tfprof.model.trace import Trace
from tfprof.results.step_windows import StepWindow

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

NO_STEP = np.iinfo(np.int64).min
# so many stretches are compared with faster than looked up
_FEW = 4


@frozen_dataclass
class StepClock:
    """The steps of the host that marks them best, by the clock that all hosts share.

    All that a host needs to know of the others: hosts take their steps together, each by a clock
    of its own, and one without steps, such as a parameter server, is looked at by this one.
    """

    windows: Sequence[StepWindow] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(window.number for window in self.windows)

    @property
    def known_periods(self) -> tuple[int, ...]:
        """Of the last step it is not known when the next one began, unless it is the only one."""
        return tuple(window.period for window in self.windows[:-1] or self.windows)


def step_clock(traces: Iterable[Trace]) -> StepClock:
    """The records of other runs than captures name their steps themselves."""
    spaces = [trace.space for trace in traces if trace.space is not None]
    _, found = first_steps([(space, host) for space in spaces for host in space.hosts])
    return StepClock(tuple(found.windows))


class TraceSteps:
    """The steps of a capture, of one host or several."""

    def __init__(self, trace: Trace, clock: StepClock) -> None:
        self._space = trace.space
        self._clock = clock

    def __len__(self) -> int:
        """As many as one host took."""
        return len(self._clock.windows)

    @property
    def windows(self) -> Sequence[StepWindow]:
        return self._clock.windows

    @property
    def numbers(self) -> tuple[int, ...]:
        return self._clock.numbers

    @cached_property
    def _by_host(self) -> dict[str, Sequence[StepWindow]]:
        if self._space is None:
            return {}
        # by its own steps: two processes of a machine have one name
        known = self._clock.windows
        return {host: find_steps(self._space, host).windows or known for host in self._space.hosts}

    def holding(self, device: Interned, start_ps: Ints) -> Mask:
        """Whether each began in the period of a step of its host, which its device names."""
        if len(self._by_host) == 1:
            (windows,) = self._by_host.values()
            return _in_a_step(windows, start_ps)
        inside: Mask = self.number_of(device, start_ps) != NO_STEP
        return inside

    def number_of(self, device: Interned, start_ps: Ints) -> Ints:
        """The number of that step; NO_STEP of what began in none."""
        if len(self._by_host) == 1:
            (windows,) = self._by_host.values()
            return _step_at(windows, start_ps)
        found = np.full(len(start_ps), NO_STEP, np.int64)
        for code in device.used():
            mine = np.flatnonzero(device.codes == code)
            found[mine] = _step_at(self._of(device.table[code]), start_ps[mine])
        return found

    def _of(self, device: str) -> Sequence[StepWindow]:
        for host, windows in self._by_host.items():
            if device.startswith(f"/host:{host}/"):
                return windows
        return self._clock.windows

    @property
    def known_periods(self) -> tuple[int, ...]:
        return self._clock.known_periods


def _in_a_step(windows: Sequence[StepWindow], start_ps: Ints) -> Mask:
    """Steps follow one another without a gap, as a rule: then there is one stretch to look at."""
    begins = np.array([window.begin for window in windows], np.int64)
    untils = np.array([window.until for window in windows], np.int64)
    untils[:-1] = np.minimum(untils[:-1], begins[1:])
    stretches = Intervals.union(begins, untils)
    inside = np.zeros(len(start_ps), bool)
    if len(stretches) < _FEW:
        for begin, end in zip(stretches.starts, stretches.ends, strict=True):
            inside |= (start_ps >= begin) & (start_ps < end)
    else:
        place = np.searchsorted(stretches.starts, start_ps, "right") - 1
        inside = (place >= 0) & (start_ps < stretches.ends[place])
    return inside


def _step_at(windows: Sequence[StepWindow], start_ps: Ints) -> Ints:
    begins = np.array([window.begin for window in windows], np.int64)
    # before all steps there is one that was over
    untils = np.array([*(window.until for window in windows), np.iinfo(np.int64).min])
    numbers = np.array([*(window.number for window in windows), NO_STEP], np.int64)
    place = np.searchsorted(begins, start_ps, "right") - 1
    found: Ints = np.where(start_ps < untils[place], numbers[place], NO_STEP)
    return found
