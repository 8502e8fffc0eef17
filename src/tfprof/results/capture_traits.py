"""What advice asks of a capture, beside what other questions answer. Times are microseconds."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.summary import DeviceKind


@frozen_dataclass
class CalledFunction:
    """Calls of one tf.function by Python; `traced` are those that traced it anew.

    `tracings` is how often it had been traced when it was called last.
    """

    name: str
    calls: int
    traced: int
    eager: int
    time_us: float
    traced_us: float
    tracings: int


@frozen_dataclass
class CaptureTraits:
    functions: tuple[CalledFunction, ...] = ()
    devices: tuple[DeviceKind, ...] = ()
    versions: Mapping[str, str] | None = None
    eager_share: float | None = None
