"""Points in time that several hosts can be told by: whole numbers, so that nothing is rounded."""

from __future__ import annotations

from tfprof.model.units import NS_A_MICROSECOND


class Nanoseconds(int):
    """In JSON it is microseconds, as the key says."""

    __slots__ = ()

    @property
    def micros(self) -> float:
        return self / NS_A_MICROSECOND
