"""Without hosts whose files were cut off before all of their steps: of a part nobody knows more."""

from __future__ import annotations

from dataclasses import replace

from tfprof.model.hosts import LeftOut
from tfprof.model.profile import ProfileData

_WHY = "its file ends early: {} of {} steps are missing"


def with_whole_hosts(data: ProfileData) -> ProfileData:
    """For what is told of steps. A host that was cut off behind its steps tells all of them."""
    cut = [host for host in data.hosts if host.facts is not None and host.facts.ends_early]
    if not cut or len(cut) == len(data.hosts):
        return data
    from tfprof.analyses.steps.host_clock import steps_of_hosts

    hosts = data.hosts
    whole = hosts.without({host.rank for host in cut})
    # one that began late is no reason to leave out another
    often = steps_of_hosts(whole).seen.items()
    expected = {number for number, count in often if count * 2 > len(whole)}
    ranks = {host.rank for host in hosts}
    lost = {
        host.rank: len(expected - steps_of_hosts(hosts.without(ranks - {host.rank})).seen.keys())
        for host in cut
    }
    left_out = tuple(
        LeftOut(host.name, _WHY.format(lost[host.rank], len(expected)))
        for host in cut
        if lost[host.rank]
    )
    return replace(
        data,
        hosts=data.hosts.without({rank for rank, count in lost.items() if count}),
        left_out=(*data.left_out, *left_out),
        warnings=(*map(str, left_out), *data.warnings),
    )
