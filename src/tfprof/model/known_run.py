"""What is kept of a run once it was read: a row of a history, and what it is compared by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import Enum

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.hosts import LeftOut
from tfprof.model.quantity import Quantity


@frozen_dataclass
class Fact:
    """What is compared, and how it is told; of a number, all digits can be."""

    value: str | int | float
    text: str

    @property
    def is_number(self) -> bool:
        return isinstance(self.value, int | float)


class TimeSource(Enum):
    """Who says when a run was; the values are those of JSON."""

    RECORD = "record"
    CAPTURE = "capture"
    NAME = "name"
    FILE = "file"


@frozen_dataclass
class Moment:
    at: datetime
    source: TimeSource


# of what was named and is not there
NOTHING = "nothing"


@frozen_dataclass
class KnownRun:
    """`path` is where it lies; `kind` what was read: a run folder, a saved profile, a capture.

    `periods_us` are the steps that are compared, `breakdown_us` what an average one went to.
    `facts` and `ops` tell whether two runs do the same work: `ops` has how often a step runs an op
    type, and its share of the time. `left_out` are hosts that its numbers are not of. `why` is why
    it could not be read: all else is not known then.
    """

    path: str
    kind: str
    moment: Moment | None
    params: Quantity
    flops: Quantity
    step_us: Quantity
    input_bound: Quantity
    peak_bytes: Quantity
    periods_us: tuple[float, ...] = ()
    breakdown_us: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    ops: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    state: str | None = None
    why: str | None = None
    left_out: tuple[LeftOut, ...] = ()


def not_read(path: str, kind: str, why: str, moment: Moment | None = None) -> KnownRun:
    """A run that is there, and of which nobody knows more."""
    unknown = Quantity.unknown(why)
    return KnownRun(path, kind, moment, unknown, unknown, unknown, unknown, unknown, why=why)
