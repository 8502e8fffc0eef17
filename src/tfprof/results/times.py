"""Times: points that several hosts can be told by, in whole numbers; intervals of estimates."""

from __future__ import annotations

from tfprof.model.units import NS_A_MICROSECOND

# microseconds; no upper end where only a device's best is known, or a part is not
Interval = tuple[float, float | None]


class Nanoseconds(int):
    """In JSON it is microseconds, as the key says."""

    __slots__ = ()

    @property
    def micros(self) -> float:
        return self / NS_A_MICROSECOND
