"""What the answer about steps tells of a host that is not the one shown."""

from __future__ import annotations

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.host_steps import Launches, Straggler, Times
from tfprof.results.meetings import HostTraits, Meetings
from tfprof.results.step_windows import Steps
from tfprof.results.steps import DeviceRow, HostRow


@frozen_dataclass
class HostBrief:
    """Its rows of the answer, devices by their full names, and what is held against other hosts.

    `meets` is whether it meets others in collectives, `exposed` how long, a step, it did nothing
    but wait there, at least; empty where it never did. The rest is as HostSteps has it.
    """

    rank: int
    host: str
    steps: Steps
    row: HostRow
    devices: tuple[DeviceRow, ...]
    unused: tuple[str, ...]
    launches: tuple[Launches, ...]
    stragglers: tuple[Straggler, ...]
    missing: tuple[str, ...]
    input_share: float | None
    meets: bool
    exposed: Times
    origin_ns: int
    meetings: Meetings
    traits: HostTraits
