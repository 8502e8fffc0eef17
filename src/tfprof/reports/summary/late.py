"""What the steps of devices are bound by, which host is late, what of their work is missing.

All of it needs what each device did in each step: it is asked where there are devices or several
hosts, and a capture of one CPU does without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.xspace import Space
from tfprof.reports.shared.digest import Digest

if TYPE_CHECKING:
    from tfprof.reports.steps.partial import StepsPartial
    from tfprof.results.steps import StepsResult


@frozen_dataclass
class OfDevices:
    """In words; empty where there is nothing to tell."""

    bound: str = ""
    slowest: str = ""
    missing: tuple[str, ...] = ()


def of_devices(known: Digest) -> OfDevices:
    spaces = known.data.hosts.spaces
    several = len({host for space in spaces for host in space.hosts}) > 1
    devices = [one for space in spaces for one in space.devices if len(one.events)]
    if known.steps is None or not (several or devices):
        return OfDevices()
    # loaded only here, and not for a CPU
    from tfprof.analyses.overlap.fragments import missing_parts
    from tfprof.reports.steps import Query, partial_of
    from tfprof.reports.steps.overlap_words import verdict_text
    from tfprof.results.partial import merged

    parts = _every_host(spaces) if several else iter([partial_of([known.steps])])
    found = merged(parts).finish(Query())
    return OfDevices(
        verdict_text(found.verdict) if found.devices else "",
        _slowest(found) if len(found.hosts) > 1 else "",
        tuple(dict.fromkeys(text for space in spaces for text in missing_parts(space))),
    )


def _every_host(spaces: Sequence[Space]) -> Iterator[StepsPartial]:
    from tfprof.analyses.step_time.breakdown import breakdowns
    from tfprof.reports.steps import partial_of
    from tfprof.results.partial import ranked

    for rank, space in enumerate(spaces):
        for at, one in enumerate(breakdowns(space)):
            yield partial_of([one], ranked(rank, at))


def _slowest(found: StepsResult) -> str:
    from tfprof.reports.steps.overlap_words import straggler_texts

    return next(iter(straggler_texts(found, "host")), "")
