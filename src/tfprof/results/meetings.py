"""What a host keeps to be compared with others: when it met them in collectives, and what it is.

Both are small, whatever the capture is: some numbers a step, and a line a type of op.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tfprof.frozen_dataclass import frozen_dataclass

# a value a collective of a step, or of several that follow each other
Numbers = tuple[int, ...]


@frozen_dataclass
class MeetingKind:
    """Which collectives a step has: `digest` is the same on hosts that have the same.

    `names` has one for each that is kept; those of many stand for their neighbours, too.
    """

    digest: str
    names: tuple[str, ...]


@frozen_dataclass
class StepMeetings:
    """Picoseconds on the clock of the host: when it came to each collective and when that ended.

    Of several devices the last one counts. `blocked` is how long nobody of the host went on, at
    least; where one entry stands for several collectives it is the sum, and the times are of the
    last of them.
    """

    kind: int
    begin: Numbers
    end: Numbers
    blocked: Numbers


@frozen_dataclass
class Meetings:
    """The collectives of a host, in the order of its steps; None for a step without.

    `exposed` is, a step, how long nothing but collectives went on on its threads; empty where
    collectives are of devices, whose own times say that.
    """

    kinds: tuple[MeetingKind, ...] = ()
    steps: tuple[StepMeetings | None, ...] = ()
    exposed: Numbers = ()


@frozen_dataclass
class HostTraits:
    """What a host is, as far as its capture and the record of the run say.

    `devices` are how many there are of each kind, `ops` how many nodes of a type ran on each kind
    of device, `programs` the names of what XLA compiled.
    """

    versions: Mapping[str, str] = field(default_factory=dict)
    devices: Mapping[str, int] = field(default_factory=dict)
    ops: Mapping[tuple[str, str], int] = field(default_factory=dict)
    programs: tuple[str, ...] = ()
