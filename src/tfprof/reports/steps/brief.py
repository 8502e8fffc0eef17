"""What the answer tells of a host beside others: of its steps only what is held against theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfprof.model.medians import median_of
from tfprof.model.quantity import Quantity
from tfprof.reports.shared.input_bound import NO_OPS
from tfprof.results.host_brief import HostBrief
from tfprof.results.host_steps import DeviceSteps, HostSteps, Times
from tfprof.results.steps import DeviceRow, HostRow


def brief(host: HostSteps) -> HostBrief:
    collective = any(any(one.collectives) for one in host.devices)
    return HostBrief(
        host.rank,
        host.host,
        host.steps,
        _host(host),
        tuple(_device(host, one) for one in host.devices),
        host.unused,
        host.launches,
        host.stragglers,
        host.missing,
        host.input_share,
        collective or bool(host.meetings.steps),
        _exposed(host.devices) if collective else host.meetings.exposed,
        host.origin_ns,
        host.meetings,
        host.traits,
    )


def _exposed(devices: Sequence[DeviceSteps]) -> Times:
    """How long, a step, every device did nothing but wait in collectives."""
    waited = [np.subtract(one.collectives, one.collectives_hidden) for one in devices]
    return tuple(np.min(waited, axis=0).tolist())


def _host(one: HostSteps) -> HostRow:
    median = median_of(one.steps.known_periods)
    average, bound = one.average_of(one.time), input_bound(one.input_share)
    rows = [_device(one, use) for use in one.devices]
    did = [
        sum(column) / len(rows)
        for column in zip(
            *((row.busy_mean, row.copy_wait, row.exposed, row.idle) for row in rows), strict=True
        )
    ]
    return HostRow(one.host, len(one.time), median, bound, average, len(rows), *did)


def _device(found: HostSteps, one: DeviceSteps) -> DeviceRow:
    periods, span = found.steps.periods, sum(one.span)
    return DeviceRow(
        one.name,
        share(one.compute, periods),
        mean(one.compute),
        mean(one.copies) - mean(one.copies_hidden),
        mean(one.collectives),
        mean(one.collectives) - mean(one.collectives_hidden),
        mean(periods) - mean(one.active),
        {reason: mean(times) for reason, times in one.waited.items()},
        mean(one.copies),
        mean(one.span),
        sum(one.span_idle) / span if span else None,
        one.barriers,
        one.compute,
        found.average_of(one.time),
    )


def input_bound(share: float | None) -> Quantity:
    return Quantity.unknown(NO_OPS) if share is None else Quantity.derived(share)


def mean(times: Times) -> float:
    return sum(times) / len(times)


def share(times: Times, periods: Times) -> float | None:
    """Of the periods of all steps; None where there is no time to share."""
    return sum(times) / sum(periods) if sum(periods) else None
