"""All that can be said of several hosts beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tfprof.analyses.between_hosts.clocks import NO_COLLECTIVES, Clocks, clocks_of
from tfprof.analyses.between_hosts.differences import differences
from tfprof.analyses.between_hosts.own_times import WHY_NOT, OwnTimes, own_times
from tfprof.analyses.between_hosts.slow_hosts import FAR, behind, slow_everywhere
from tfprof.analyses.between_hosts.waits import NO_SHARED, Waits, waits_of
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.medians import median_of
from tfprof.model.quantity import Quantity
from tfprof.model.units import PS_A_NANOSECOND
from tfprof.results.between_hosts import (
    BetweenHosts,
    HostBeside,
    InputSpread,
    StartSkew,
    StartSkews,
)
from tfprof.results.host_brief import HostBrief

Floats = npt.NDArray[np.float64]

# of a step: hosts whose waits for input differ by less are alike
_INPUT_UNLIKE = 0.05
_NO_OPS = "the capture has no ops"


def between_hosts(hosts: Sequence[HostBrief]) -> BetweenHosts | None:
    """None of a host alone."""
    if len(hosts) < 2:
        return None
    own = own_times(hosts)
    waits, clocks = waits_of(hosts, own.which), clocks_of(hosts, own.which)
    starts = _Starts.of(hosts, own, clocks)
    rows = _rows(hosts, own, waits, clocks, starts)
    middle = np.sort([one.own for one in rows if one.own is not None])
    # of two in the middle the lower one, so that one of two hosts is the usual one
    usual = float(middle[(len(middle) - 1) // 2]) if len(middle) else None
    return BetweenHosts(
        tuple(rows),
        own.steps,
        own.met,
        usual,
        None if usual is None else median_of(np.abs(middle - usual)),
        tuple(slow_everywhere(own)),
        waits.costly if waits is not None else None,
        hosts[clocks.reference].host if clocks.reference is not None else None,
        starts.skews(hosts) if starts is not None else None,
        _input(hosts),
        tuple(differences(hosts)),
        why_not=None if own.which else WHY_NOT,
        why_no_waits=None if waits is not None else _why_no_waits(hosts),
        why_no_clocks=None if clocks.reference is not None else _why_no_clocks(clocks),
    )


def _why_no_waits(hosts: Sequence[HostBrief]) -> str:
    return NO_SHARED if any(one.meetings.steps for one in hosts) else NO_COLLECTIVES


def _why_no_clocks(clocks: Clocks) -> str:
    return next((one.reason for one in clocks.offsets if one.reason), NO_COLLECTIVES)


def _rows(
    hosts: Sequence[HostBrief],
    own: OwnTimes,
    waits: Waits | None,
    clocks: Clocks,
    starts: _Starts | None,
) -> list[HostBeside]:
    late, _ = behind(own)
    row_of = {at: row for row, at in enumerate(own.which)}
    waited = _Waited.of(hosts, waits) if waits is not None else {}
    begins = starts.usually() if starts is not None else {}
    found = []
    for at, one in enumerate(hosts):
        row = row_of.get(at)
        times = own.known[row] if row is not None else np.full(len(own.steps), np.nan)
        share = one.input_share
        found.append(
            HostBeside(
                one.host,
                None if np.isnan(times).all() else float(np.nanmedian(times)),
                int(late[row].sum()) if row is not None else 0,
                *waited.get(at, _Waited()),
                clocks.offsets[at],
                begins.get(at),
                Quantity.unknown(_NO_OPS) if share is None else Quantity.derived(share),
                tuple(None if np.isnan(time) else int(time) for time in times.tolist()),
            )
        )
    return found


class _Waited(NamedTuple):
    """Of a host that met others: as HostBeside has it."""

    waited: float | None = None
    waits_for: str | None = None
    caused: float | None = None
    last_steps: int | None = None
    gain: float | None = None

    @classmethod
    def of(cls, hosts: Sequence[HostBrief], waits: Waits) -> dict[int, _Waited]:
        """By place; times are of an average step."""
        waited, caused, gain = (
            (total / waits.steps).tolist() for total in (waits.waited, waits.caused, waits.gain)
        )
        most = waits.pairs.argmax(axis=1).tolist()
        return {
            at: cls(
                waited[at],
                hosts[most[at]].host if waits.pairs[at, most[at]] > 0 else None,
                caused[at],
                int(waits.last_steps[at]),
                gain[at],
            )
            for at in np.flatnonzero(waits.met).tolist()
        }


@frozen_dataclass
class _Starts:
    """When hosts began their steps, by the clock of the reference; picoseconds from the first.

    A row for each of `which`, the places of hosts whose clocks are known; NaN for no such step.
    """

    which: tuple[int, ...]
    steps: tuple[int, ...]
    begin: Floats
    within: int

    @classmethod
    def of(cls, hosts: Sequence[HostBrief], own: OwnTimes, clocks: Clocks) -> _Starts | None:
        which = tuple(at for at in own.which if clocks.picoseconds(at) is not None)
        if clocks.reference is None or len(which) < 2:
            return None
        zero = hosts[clocks.reference].origin_ns * PS_A_NANOSECOND
        column = {number: at for at, number in enumerate(own.steps)}
        begin = np.full((len(which), len(own.steps)), np.nan)
        for row, at in enumerate(which):
            one = hosts[at]
            later = one.origin_ns * PS_A_NANOSECOND - zero - (clocks.picoseconds(at) or 0)
            for window in one.steps.windows:
                begin[row, column[window.number]] = window.begin + later
        within = max(clocks.offsets[at].within or 0 for at in which)
        return cls(which, own.steps, begin, within)

    def usually(self) -> dict[int, float]:
        """How long after the middle of the hosts each begins, by place; where that is known."""
        shared = (~np.isnan(self.begin)).sum(axis=0) > 1
        late = self.begin[:, shared] - np.nanmedian(self.begin[:, shared], axis=0)
        known = ~np.isnan(late).all(axis=1)
        middle = np.nanmedian(late[known], axis=1).tolist()
        return dict(zip(np.array(self.which)[known].tolist(), middle, strict=True))

    def skews(self, hosts: Sequence[HostBrief]) -> StartSkews | None:
        found = []
        for column, number in enumerate(self.steps):
            begin = self.begin[:, column]
            if (~np.isnan(begin)).sum() > 1:
                first, last = int(np.nanargmin(begin)), int(np.nanargmax(begin))
                found.append(StartSkew(
                    number, int(begin[last] - begin[first]),
                    hosts[self.which[first]].host, hosts[self.which[last]].host,
                ))  # fmt: skip
        if not found:
            return None
        middle = median_of([one.skew for one in found])
        return StartSkews(middle, self.within, len(self.which), tuple(found))


def _input(hosts: Sequence[HostBrief]) -> InputSpread | None:
    known = [(one.input_share, one.host) for one in hosts]
    shares = [(share, host) for share, host in known if share is not None]
    if len(shares) < 2:
        return None
    values = np.array([share for share, _ in shares])
    middle = median_of(values)
    deviation = median_of(np.abs(values - middle))
    low, high = min(shares), max(shares)
    unlike = [
        host for share, host in shares if abs(share - middle) > max(_INPUT_UNLIKE, FAR * deviation)
    ]
    return InputSpread(middle, deviation, *low, *high, len(shares), tuple(unlike))
