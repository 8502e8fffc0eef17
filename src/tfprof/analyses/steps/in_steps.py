"""What began in a step, on a host or on several."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tfprof.analyses.steps.detect import find_steps
from tfprof.model.interned import Interned
from tfprof.model.trace import Trace
from tfprof.results.windows import StepWindow

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class TraceSteps:
    """The steps of a capture; the records of other runs name their steps themselves.

    Hosts take their steps together, each by a clock of its own. One without steps, such as a
    parameter server, is looked at by the clock of the first that has some.
    """

    def __init__(self, trace: Trace) -> None:
        self._space = trace.space
        self._windows = find_steps(trace.space).windows if trace.space is not None else ()

    def __len__(self) -> int:
        """As many as one host took."""
        return len(self._windows)

    @cached_property
    def _by_host(self) -> dict[str, Sequence[StepWindow]]:
        hosts = self._space.hosts if self._space is not None else ()
        if self._space is None or len(hosts) < 2:
            return {}
        return {host: find_steps(self._space, host).windows or self._windows for host in hosts}

    def holding(self, device: Interned, start_ps: Ints) -> Mask:
        """Whether each began in the period of a step of its host, which its device names."""
        if not self._by_host:
            return _began_in(self._windows, start_ps)
        inside = np.zeros(len(start_ps), bool)
        for code in device.used():
            mine = np.flatnonzero(device.codes == code)
            inside[mine] = _began_in(self._of(device.table[code]), start_ps[mine])
        return inside

    def _of(self, device: str) -> Sequence[StepWindow]:
        for host, windows in self._by_host.items():
            if device.startswith(f"/host:{host}/"):
                return windows
        return self._windows

    @property
    def mean_period_ps(self) -> float:
        """Of the last step it is not known when the next one began, unless it is the only one."""
        known = self._windows[:-1] or self._windows
        return sum(window.period for window in known) / len(known)


def _began_in(windows: Sequence[StepWindow], start_ps: Ints) -> Mask:
    begins = np.array([window.begin for window in windows], np.int64)
    # before all steps there is one that was over
    untils = np.array([*(window.until for window in windows), np.iinfo(np.int64).min])
    found: Mask = start_ps < untils[np.searchsorted(begins, start_ps, "right") - 1]
    return found
