"""The critical path of a step: how it is made up.

Of several hosts, that of the one whose steps are shown: clocks are too far apart to tell which
event of one waited for which of another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from tfprof.analyses.timeline.critical_path import DATA, CriticalEvent, critical_path
from tfprof.analyses.timeline.path_events import path_events, plane_and_row
from tfprof.model.op_names import instruction_name, kind_of, op_name
from tfprof.model.units import as_micros
from tfprof.reports.timeline.asked import Timeline
from tfprof.results.timeline import CriticalPath, PathLink, PathOp


def path_of(asked: Timeline, begin: int, end: int) -> CriticalPath:
    runs = path_events(asked.marking, begin, end)
    path = critical_path(runs, _reader(asked), begin)
    return CriticalPath(
        len(path),
        as_micros(sum(link.end - link.start for link in path)),
        as_micros(sum(link.wait for link in path)),
        sum(link.by == DATA for link in path),
        _ops_on(asked, path),
        tuple(_told(asked, link) for link in path),
    )


def _reader(asked: Timeline) -> Callable[[str], Sequence[str] | None]:
    """What a node reads, as the run tells it, else as the graph has it."""
    graph = asked.data.graph
    if asked.reads or graph is None:
        return asked.reads.get

    def reads(node: str) -> Sequence[str] | None:
        row = graph.index.get(node)
        if row is None:
            return None
        first, last = graph.edges.offsets[row : row + 2].tolist()
        return [graph.names[at] for at in graph.edges.node[first:last].tolist() if at >= 0]

    return reads


def _ops_on(asked: Timeline, path: Sequence[CriticalEvent]) -> tuple[PathOp, ...]:
    """By kind, the longest first."""
    runs: Counter[str] = Counter()
    time: Counter[str] = Counter()
    for link in path:
        plane, row = plane_and_row(link.row)
        kind = kind_of(asked.marking.planes[plane].name_of(row))
        runs[kind] += 1
        time[kind] += link.end - link.start
    whole = time.total()
    ordered = sorted(time.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(
        PathOp(kind, runs[kind], as_micros(ps), ps / whole if whole else 0) for kind, ps in ordered
    )


def _told(asked: Timeline, link: CriticalEvent) -> PathLink:
    at, row = plane_and_row(link.row)
    plane = asked.marking.planes[at]
    name = plane.name_of(row)
    op = op_name(name)
    return PathLink(
        op.name if op is not None else instruction_name(name),
        op.type if op is not None else None,
        plane.line_name(int(plane.line_of(np.array([row]))[0])),
        asked.since_zero(link.start),
        as_micros(link.end - link.start),
        as_micros(link.wait),
        link.by or None,
    )
