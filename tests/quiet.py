"""Measuring by the clock, where it tells something: while nobody else is at work."""

import os
import time

import pytest

_BUSY, _ATTEMPTS = 0.25, 3


class Others:
    """How many cores others keep busy, from when it is made until it is asked."""

    def __init__(self):
        self._began, self._busy, self._own = time.time(), _busy(), time.process_time()

    @property
    def cores(self):
        busy, own = _busy() - self._busy, time.process_time() - self._own
        return (busy - own) / (time.time() - self._began)


def quietly(measure):
    """What `measure(attempt)` finds; again if others were at work, and not judged if they stay."""
    for attempt in range(_ATTEMPTS):
        others = Others()
        found = measure(attempt)
        if others.cores <= _BUSY:
            return found
    pytest.skip(f"the machine is busy, {others.cores:.1f} cores: the clock would tell of others")


def _busy():
    """Seconds of all cores."""
    with open("/proc/stat", encoding="ascii") as file:  # noqa: PTH123
        fields = list(map(int, file.readline().split()[1:]))
    return (sum(fields[:8]) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")
