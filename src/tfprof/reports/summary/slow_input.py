"""For which stage of its input a program waits that is input-bound, in a line."""

from __future__ import annotations

from tfprof.model.graph import Graph
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host, Hosts
from tfprof.model.xspace import Space
from tfprof.reports.shared.input_bound import is_input_bound
from tfprof.reports.summary.whose import Whose

_STAGE = "the stage that it waits for"


def slow_stage(hosts: Hosts, of: Whose, graph: Graph | None) -> str:
    """The stage; of the host that waits longest, or of the one shown if it waits about as long."""
    if not hosts or not is_input_bound(of.share):
        return ""
    several = len(hosts) > 1
    waits = hosts.without({host.rank for host in hosts if several and host.rank != of.rank})
    if several and graph is None:
        (told,) = waits.each(SLOW_STAGE.key, _of_first)
        if told is not None:
            return told
    name = of.waits if of.stands_out else of.shown
    (told,) = waits.each(f"{_STAGE}: {name}", _of_host, graph, name, about=(graph,))
    return told


def _of_first(host: Host) -> str | None:
    """Told while the host is read, which need not be read again then; None if it does not wait.

    It does not know yet whether there are others before it that can be read: nobody is before 0.
    """
    from tfprof.reports.steps import steps_of_host

    space = host.trace.space
    if host.rank or space is None:
        return None
    steps = next(iter(steps_of_host(host).hosts), None)
    return _stage(space, None, steps.host) if steps and is_input_bound(steps.input_share) else None


SLOW_STAGE = HostTask("the stage that the first host waits for", _of_first)


def _of_host(host: Host, graph: Graph | None, name: str | None) -> str:
    space = host.trace.space
    return "" if space is None else _stage(space, graph, name)


def _stage(space: Space, graph: Graph | None, name: str | None) -> str:
    """A capture may be of several hosts: that of the one of this name, where it is named."""
    # loaded only here: most programs do not wait for their input
    from tfprof.reports.input import partial_of
    from tfprof.reports.input.words import bottleneck_text

    pipelines = partial_of(space, 0, graph, functions=False).finish().pipelines
    mine = (one for one in pipelines if name is None or one.host == name)
    slow = next((one for one in mine if one.slow is not None), None)
    return bottleneck_text(slow) if slow is not None else ""
