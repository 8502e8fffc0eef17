"""Hosts on the clock of one of them, as far as the collectives that they share tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field, replace

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.hosts import Host
from tfprof.model.profile import ProfileData
from tfprof.model.units import as_micros, duration_ps, plural
from tfprof.model.xspace import Space
from tfprof.results.partial import file_of

_CORRECTED = (
    "Clocks of {} are corrected by up to {}, to that of {}: collectives tell, `tfprof steps {} "
    "--hosts` how well."
)


@frozen_dataclass
class ClockShifts:
    """How many picoseconds later events are than their host says; `names` are those of hosts.

    Both by rank. A host whose clock is not known to be off is not in it.
    """

    later: Mapping[int, int] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    reference: str = ""

    def of(self, rank: int) -> int:
        return self.later.get(rank, 0)

    @property
    def micros(self) -> dict[str, float]:
        return {self.names[rank]: as_micros(later) for rank, later in sorted(self.later.items())}

    def told(self, path: str) -> str:
        """Empty where nothing is corrected."""
        if not self.later:
            return ""
        most = duration_ps(max(map(abs, self.later.values())))
        return _CORRECTED.format(plural(len(self.later), "host"), most, self.reference, path)


def clock_shifts(data: ProfileData) -> ClockShifts:
    """Only of offsets that are larger than what they may be off by."""
    hosts = data.hosts
    if len(hosts) < 2 or hosts.asking is None:
        return ClockShifts()
    from tfprof.analyses.between_hosts.clocks import clocks_of
    from tfprof.analyses.between_hosts.own_times import compared
    from tfprof.reports.steps import steps_of_hosts

    found = steps_of_hosts(hosts).hosts
    clocks = clocks_of(found, compared(found))
    if clocks.reference is None:
        return ClockShifts()
    files = Counter(file_of(one.rank) for one in found)
    later = {}
    for at, one in enumerate(found):
        ahead, within = clocks.picoseconds(at), clocks.offsets[at].within
        # a file of several hosts is moved as one, or not
        alone = files[file_of(one.rank)] == 1
        if alone and ahead is not None and within is not None and abs(ahead) > within:
            later[file_of(one.rank)] = -ahead
    names = {host.rank: host.name for host in hosts}
    return ClockShifts(later, names, found[clocks.reference].host)


def space_on_clock(host: Host, later: int) -> Space | None:
    space = host.trace.space
    if space is None or not later:
        return space
    return replace(space, planes=tuple(plane.later(later) for plane in space.planes))
