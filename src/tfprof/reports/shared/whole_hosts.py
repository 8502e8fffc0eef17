"""Without hosts whose files were cut off before all of their steps: of a part nobody knows more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tfprof.model.hosts import LeftOut
from tfprof.model.profile import ProfileData

_WHY = "its file ends early: {} of {} steps are missing"
_OF_STEPS = "{} is left out of what is told of steps: {}"


def with_whole_hosts(data: ProfileData) -> ProfileData:
    """For what is told of steps. A host that was cut off behind its steps tells all of them."""
    left_out = cut_off(data)
    return (
        replace(
            data,
            hosts=data.hosts.without(left_out),
            left_out=(*data.left_out, *left_out.values()),
            warnings=(*map(str, left_out.values()), *data.warnings),
        )
        if left_out
        else data
    )


def with_cut_hosts_named(data: ProfileData) -> ProfileData:
    """For what is told of all that was read, with a word about who is missing elsewhere."""
    told = [_OF_STEPS.format(one.host, one.why) for one in cut_off(data).values()]
    return replace(data, warnings=(*told, *data.warnings)) if told else data


def cut_off(data: ProfileData) -> Mapping[int, LeftOut]:
    """The hosts of whose steps some are missing since their files end early, by rank."""
    cut = [host for host in data.hosts if host.facts is not None and host.facts.ends_early]
    if not cut or len(cut) == len(data.hosts):
        return {}
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
    return {
        host.rank: LeftOut(host.name, _WHY.format(lost[host.rank], len(expected)))
        for host in cut
        if lost[host.rank]
    }
