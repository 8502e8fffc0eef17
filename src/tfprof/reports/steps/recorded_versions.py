"""The versions that each rank of a recorded run noted, beside what its capture states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from tfprof.model.profile import ProfileData
from tfprof.reports.steps.partial import StepsPartial
from tfprof.results.host_brief import HostBrief
from tfprof.results.host_steps import HostSteps
from tfprof.results.partial import ranked

H = TypeVar("H", HostSteps, HostBrief)


def with_recorded_versions(partial: StepsPartial, data: ProfileData) -> StepsPartial:
    if data.record is None:
        return partial
    known = {process.rank: process.versions for process in data.record.processes}
    first = None if partial.first is None else _noted(partial.first, known)
    return StepsPartial(first, tuple(_noted(host, known) for host in partial.others))


def _noted(host: H, known: Mapping[int, Mapping[str, str]]) -> H:
    versions = known.get(host.rank // ranked(1, 0))
    if not versions:
        return host
    whole = dict(sorted({**versions, **host.traits.versions}.items()))
    return replace(host, traits=replace(host.traits, versions=whole))
