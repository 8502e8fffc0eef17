"""For which stage of its input a program waits that is input-bound, in a line."""

from __future__ import annotations

from tfprof.model.graph import Graph
from tfprof.model.hosts import Hosts
from tfprof.reports.shared.input_bound import is_input_bound


def slow_stage(hosts: Hosts, share: float | None, graph: Graph | None) -> str:
    """The stage; of the first host, as the step above it."""
    if not hosts or not is_input_bound(share):
        return ""
    space = hosts[0].trace.space
    if space is None:
        return ""
    # loaded only here: most programs do not wait for their input
    from tfprof.reports.input import partial_of
    from tfprof.reports.input.words import bottleneck_text

    pipelines = partial_of(space, 0, graph, functions=False).finish().pipelines
    slow = next((one for one in pipelines if one.slow is not None), None)
    return bottleneck_text(slow) if slow is not None else ""
