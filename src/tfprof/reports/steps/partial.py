"""What hosts tell about their steps, put together and made into an answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tfprof.analyses.overlap.verdict import verdict
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import short_names
from tfprof.model.quantity import Quantity
from tfprof.model.units import PS_A_MICROSECOND
from tfprof.reports.shared.input_bound import NO_OPS
from tfprof.reports.steps.query import Query
from tfprof.results.between_hosts import BetweenHosts
from tfprof.results.categories import Category
from tfprof.results.host_steps import DeviceSteps, HostSteps, Straggler, Times
from tfprof.results.partial import together
from tfprof.results.steps import (
    Asked,
    AverageStep,
    DeviceRow,
    HostOps,
    HostRow,
    Periods,
    PoolRow,
    StepRow,
    StepsResult,
)


@frozen_dataclass
class StepsPartial:
    """The hosts by rank and name: in whatever order they come together, the same."""

    hosts: tuple[HostSteps, ...] = ()

    def merge(self, other: StepsPartial) -> StepsPartial:
        return StepsPartial(together(self.hosts, other.hosts))

    def finish(self, query: Query, shown: HostSteps | None = None) -> StepsResult:
        """`shown` is a host as it is asked for, such as with one device alone; else the first."""
        found = self.hosts[0] if shown is None else shown
        at = next(
            (
                place
                for place, one in enumerate(self.hosts)
                if (one.rank, one.host) == (found.rank, found.host)
            ),
            0,
        )
        hosts = [*self.hosts[:at], found, *self.hosts[at + 1 :]]
        # with one device alone, the others have no name
        as_shown = [(one, self._named(own)) for one, own in zip(hosts, self.hosts, strict=True)]
        own, short = self.hosts[at], as_shown[at][1]
        stragglers, between = _beside(self.hosts)
        return StepsResult(
            tuple(_rows(found)),
            _average(found),
            _periods(found),
            _input_bound(found),
            verdict(found),
            found.steps.rule,
            found.steps.about,
            tuple(found.steps.dropped),
            found.slow,
            tuple(
                _device(host, one, names[one.name])
                for host, names in as_shown
                for one in host.devices
            ),
            tuple(names[name] for host, names in as_shown for name in host.unused),
            _host_ops(own),
            tuple(
                replace(gap, idle=tuple(short.get(name, name) for name in gap.idle))
                for gap in own.gaps
            ),
            tuple(
                replace(one, device=names[one.device])
                for host, names in as_shown
                for one in host.launches
            ),
            (
                *(
                    replace(one, name=_short(host)[one.name], host=host.host)
                    for host in self.hosts
                    for one in host.stragglers
                ),
                *stragglers,
            ),
            tuple(map(_host, self.hosts)),
            between=between,
            missing=tuple(dict.fromkeys(text for host in self.hosts for text in host.missing)),
            asked=Asked(query.look, query.step, alone=query.device is not None),
        )

    def _named(self, host: HostSteps) -> Mapping[str, str]:
        """The names of its devices, its own in front only where there are several hosts."""
        short = _short(host)
        if len(self.hosts) == 1:
            return short
        return {full: f"/host:{host.host}{name}" for full, name in short.items()}


def _beside(hosts: Sequence[HostSteps]) -> tuple[Sequence[Straggler], BetweenHosts | None]:
    """What only several hosts can tell; most runs have one, and do without."""
    if len(hosts) < 2:
        return (), None
    from tfprof.analyses.between_hosts.comparison import between_hosts
    from tfprof.analyses.between_hosts.slow_hosts import straggling_hosts

    return straggling_hosts(hosts), between_hosts(hosts)


def _short(host: HostSteps) -> Mapping[str, str]:
    """The names of its devices, the job in front only where there are several."""
    return short_names([*(one.name for one in host.devices), *host.unused])


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
    median = float(np.median(known))
    deviation = float(np.median(np.abs(known - median)))
    mean, low, high = float(known.mean()), float(known.min()), float(known.max())
    return Periods(median, mean, low, high, deviation, len(known))


def _input_bound(found: HostSteps) -> Quantity:
    share = found.input_share
    return Quantity.unknown(NO_OPS) if share is None else Quantity.derived(share)


def _host(one: HostSteps) -> HostRow:
    median = float(np.median(one.steps.known_periods))
    average = one.average_of(one.time)
    rows = [_device(one, use, use.name) for use in one.devices]
    did = [
        sum(column) / len(rows)
        for column in zip(
            *((row.busy_mean, row.copy_wait, row.exposed, row.idle) for row in rows), strict=True
        )
    ]
    return HostRow(one.host, len(one.time), median, _input_bound(one), average, len(rows), *did)


def _device(found: HostSteps, one: DeviceSteps, name: str) -> DeviceRow:
    periods, span = found.steps.periods, sum(one.span)
    return DeviceRow(
        name,
        _share(one.compute, periods),
        _mean(one.compute),
        _mean(one.copies) - _mean(one.copies_hidden),
        _mean(one.collectives),
        _mean(one.collectives) - _mean(one.collectives_hidden),
        _mean(periods) - _mean(one.active),
        {reason: _mean(times) for reason, times in one.waited.items()},
        _mean(one.copies),
        _mean(one.span),
        sum(one.span_idle) / span if span else None,
        one.barriers,
        one.compute,
        found.average_of(one.time),
        one,
    )


def _host_ops(found: HostSteps) -> HostOps:
    periods = found.steps.periods
    whole = sum(periods)
    return HostOps(
        _share(found.model_ops, periods),
        _share(found.input_ops, periods),
        _share(found.any_ops, periods),
        tuple(
            PoolRow(pool.name, pool.threads, pool.busy / whole if whole else None)
            for pool in found.pools
        ),
        _averaged(found, found.outside),
        _averaged(found, found.between),
    )


def _averaged(found: HostSteps, times: Times | None) -> float | None:
    return None if times is None else _mean(times[found.steps.averaged])


def _mean(times: Times) -> float:
    return sum(times) / len(times)


def _share(times: Times, periods: Times) -> float | None:
    """Of the periods of all steps; None where there is no time to share."""
    return sum(times) / sum(periods) if sum(periods) else None
