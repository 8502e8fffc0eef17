"""The versions that each rank of a recorded run noted, beside what its capture states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tfprof.model.profile import ProfileData
from tfprof.reports.steps.partial import StepsPartial
from tfprof.results.host_steps import HostSteps
from tfprof.results.partial import ranked


def with_recorded_versions(partial: StepsPartial, data: ProfileData) -> StepsPartial:
    if data.record is None:
        return partial
    known = {process.rank: process.versions for process in data.record.processes}
    return StepsPartial(tuple(_noted(host, known) for host in partial.hosts))


def _noted(host: HostSteps, known: Mapping[int, Mapping[str, str]]) -> HostSteps:
    versions = known.get(host.rank // ranked(1, 0))
    if not versions:
        return host
    whole = dict(sorted({**versions, **host.traits.versions}.items()))
    return replace(host, traits=replace(host.traits, versions=whole))
