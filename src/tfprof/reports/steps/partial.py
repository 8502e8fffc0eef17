"""What hosts tell about their steps, put together and made into an answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tfprof.analyses.overlap.verdict import verdict
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import short_names
from tfprof.model.medians import median_of
from tfprof.model.merging import merged
from tfprof.model.units import PS_A_MICROSECOND
from tfprof.reports.steps.brief import brief, input_bound, mean, share
from tfprof.reports.steps.query import Query
from tfprof.results.between_hosts import BetweenHosts
from tfprof.results.categories import Category
from tfprof.results.host_brief import HostBrief
from tfprof.results.host_steps import HostSteps, Straggler, Times
from tfprof.results.partial import together
from tfprof.results.steps import (
    Asked,
    AverageStep,
    HostOps,
    Periods,
    PoolRow,
    StepRow,
    StepsResult,
)


@frozen_dataclass
class StepsPartial:
    """The first host whole, by rank and name, and what the answer tells of the others, by both.

    In whatever order hosts come together, it is the same.
    """

    first: HostSteps | None = None
    others: tuple[HostBrief, ...] = ()

    @classmethod
    def of(cls, hosts: Iterable[HostSteps]) -> StepsPartial:
        return merged([cls(), *map(cls, hosts)])

    def merge(self, other: StepsPartial) -> StepsPartial:
        if self.first is None or other.first is None:
            return self if other.first is None else other
        # of two of one place all that they say decides
        same = _place(self.first) == _place(other.first)
        key = repr if same else _place
        first, second = sorted((self.first, other.first), key=key)
        behind = () if first == second else (brief(second),)
        return StepsPartial(first, together(self.others, other.others, behind))

    @property
    def hosts(self) -> tuple[HostBrief, ...]:
        """All of them, in brief."""
        return () if self.first is None else (brief(self.first), *self.others)

    def finish(self, query: Query, shown: HostSteps | None = None) -> StepsResult:
        """`shown` is a host as it is asked for, such as with one device alone; else the first."""
        found = shown if shown is not None else self.first
        if found is None:
            raise ValueError("there is no host to tell of")
        hosts = self.hosts
        several = len(hosts) > 1
        named = [(one, _device_names(one, several=several)) for one in hosts]
        short = next((names for one, names in named if _place(one) == _place(found)), {})
        stragglers, between = _beside(hosts)
        return StepsResult(
            tuple(_rows(found)),
            _average(found),
            _periods(found),
            input_bound(found.input_share),
            verdict(found),
            found.steps.rule,
            found.steps.about,
            tuple(found.steps.dropped),
            found.slow,
            tuple(
                replace(row, device=names[row.device])
                for one, names in named
                for row in one.devices
            ),
            tuple(names[name] for one, names in named for name in one.unused),
            _host_ops(found),
            tuple(
                replace(gap, idle=tuple(short.get(name, name) for name in gap.idle))
                for gap in found.gaps
            ),
            tuple(
                replace(launch, device=names[launch.device])
                for one, names in named
                for launch in one.launches
            ),
            (
                *(
                    replace(late, name=_short(one)[late.name], host=one.host)
                    for one in hosts
                    for late in one.stragglers
                ),
                *stragglers,
            ),
            tuple(one.row for one in hosts),
            between=between,
            missing=tuple(dict.fromkeys(text for one in hosts for text in one.missing)),
            asked=Asked(query.look, query.step, alone=query.device is not None),
        )


def _device_names(host: HostBrief, *, several: bool) -> Mapping[str, str]:
    """Those of its devices; its own in front only where there are several hosts."""
    short = _short(host)
    if not several:
        return short
    return {full: f"/host:{host.host}{name}" for full, name in short.items()}


def _place(host: HostSteps | HostBrief) -> tuple[int, str]:
    return host.rank, host.host


def _beside(hosts: Sequence[HostBrief]) -> tuple[Sequence[Straggler], BetweenHosts | None]:
    """What only several hosts can tell; most runs have one, and do without."""
    if len(hosts) < 2:
        return (), None
    from tfprof.analyses.between_hosts.comparison import between_hosts
    from tfprof.analyses.between_hosts.slow_hosts import straggling_hosts

    return straggling_hosts(hosts), between_hosts(hosts)


def _short(host: HostBrief) -> Mapping[str, str]:
    """The names of its devices, the job in front only where there are several."""
    return short_names([*(one.device for one in host.devices), *host.unused])


def _rows(found: HostSteps) -> list[StepRow]:
    return [
        StepRow(window.number, window.period, window.duration,
                dict(zip(Category, times, strict=True)))
        for window, times in zip(found.steps.windows, found.time, strict=True)
    ]  # fmt: skip


def _average(found: HostSteps) -> AverageStep:
    average = found.average_of(found.time)
    return AverageStep(
        math.fsum(average.values()),
        average,
        found.average_of(found.gross),
        found.average_of(found.count),
        len(found.steps.windows[found.steps.averaged]),
    )


def _periods(found: HostSteps) -> Periods:
    known = np.array(found.steps.known_periods) / PS_A_MICROSECOND
    median = median_of(known)
    deviation = median_of(np.abs(known - median))
    average, low, high = float(known.mean()), float(known.min()), float(known.max())
    return Periods(median, average, low, high, deviation, len(known))


def _host_ops(found: HostSteps) -> HostOps:
    periods = found.steps.periods
    whole = sum(periods)
    return HostOps(
        share(found.model_ops, periods),
        share(found.input_ops, periods),
        share(found.any_ops, periods),
        tuple(
            PoolRow(pool.name, pool.threads, pool.busy / whole if whole else None)
            for pool in found.pools
        ),
        _averaged(found, found.outside),
        _averaged(found, found.between),
    )


def _averaged(found: HostSteps, times: Times | None) -> float | None:
    return None if times is None else mean(times[found.steps.averaged])
