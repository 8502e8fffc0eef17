"""What the steps of devices are bound by, which host is late, what of their work is missing.

All of it needs what each device did in each step: it is asked where there are devices or several
hosts, and a capture of one CPU does without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host
from tfprof.reports.shared.digest import Digest

if TYPE_CHECKING:
    from tfprof.results.steps import StepsResult


@frozen_dataclass
class OfDevices:
    """In words; empty where there is nothing to tell."""

    bound: str = ""
    slowest: str = ""
    missing: tuple[str, ...] = ()


def of_devices(known: Digest) -> OfDevices:
    hosts, steps = known.data.hosts, known.steps
    told = hosts.each(ABOUT.key, _about)
    several = len({name for one in told for name in one.hosts}) > 1
    if steps is None or not (several or any(one.devices for one in told)):
        return OfDevices()
    # loaded only here, and not for a CPU
    from tfprof.reports.steps import Query, partial_of, steps_of_hosts
    from tfprof.reports.steps.overlap_words import verdict_text
    from tfprof.results.host_steps import HostSteps

    if several or isinstance(steps, HostSteps):
        found = steps_of_hosts(hosts).finish(Query())
    else:
        found = partial_of([steps]).finish(Query())
    return OfDevices(
        verdict_text(found.verdict) if found.devices else "",
        _slowest(found) if len(found.hosts) > 1 else "",
        tuple(dict.fromkeys(text for one in told for text in one.missing)),
    )


@frozen_dataclass
class _OfCapture:
    """Hosts of a capture, whether devices did anything, what of their work is missing."""

    hosts: tuple[str, ...] = ()
    devices: bool = False
    missing: tuple[str, ...] = ()


def _about(host: Host) -> _OfCapture:
    space = host.trace.space
    if space is None or not any(len(one.events) for one in space.devices):
        return _OfCapture(() if space is None else tuple(space.hosts))
    from tfprof.analyses.overlap.fragments import missing_parts

    return _OfCapture(tuple(space.hosts), devices=True, missing=tuple(missing_parts(space)))


ABOUT = HostTask("devices and what is missing of them", _about)


def _slowest(found: StepsResult) -> str:
    from tfprof.reports.steps.overlap_words import straggler_texts

    return next(iter(straggler_texts(found, "host")), "")
