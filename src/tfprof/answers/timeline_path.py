"""The critical path of a step: how it is made up."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfprof.analyses.timeline.chain_runs import chain_runs, plane_and_row
from tfprof.analyses.timeline.critical_path import DATA, Link, critical_path
from tfprof.answers.common import fold
from tfprof.answers.timeline_asked import PS, Timeline, kind_of
from tfprof.model import units
from tfprof.model.op_names import op_name
from tfprof.views.shapes import Column, Table, Unit, Value

_TYPES_SHOWN = 5
_MOST_LINKS = 10_000


def path_of(asked: Timeline, begin: int, end: int) -> list[Link]:
    runs = chain_runs(asked.space, begin, end)
    return critical_path(runs, _reader(asked), begin)


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


def _name_of(asked: Timeline, link: Link) -> str:
    plane, row = plane_and_row(link.row)
    return asked.space.planes[plane].name_of(row)


def types_on_path(asked: Timeline, path: Sequence[Link]) -> list[tuple[str, int, int]]:
    """Kind, executions and picoseconds, the longest first."""
    runs: Tally[str] = Tally()
    time: Tally[str] = Tally()
    for link in path:
        kind = kind_of(_name_of(asked, link))
        runs[kind] += 1
        time[kind] += link.end - link.start
    return [(kind, runs[kind], spent) for kind, spent in sorted(time.items(), key=_longest_first)]


def _longest_first(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def how_linked(path: Sequence[Link]) -> str:
    data = sum(link.by == DATA for link in path)
    if not data:
        return "linked by time: nothing here tells what an op reads"
    return f"{data} of {len(path) - 1} links lead to an input, the others follow by time"


def path_table(rows: Sequence[tuple[str, int, int]]) -> Table:
    whole = sum(spent for _, _, spent in rows)
    table: list[list[Value]] = [
        [kind, runs, spent / PS, spent / whole if whole else 0]
        for kind, runs, spent in rows[:_TYPES_SHOWN]
    ]
    columns = [
        Column("op", "op"),
        Column("runs", "runs", Unit.COUNT),
        Column("time_us", "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
    ]
    rest = [spent for _, _, spent in rows[_TYPES_SHOWN:]]
    return Table(columns, table, "On the critical path", fold(rest, whole))


def _longest_links(path: Sequence[Link]) -> Sequence[Link]:
    """All, or of very many those that took longest, in order of time."""
    if len(path) <= _MOST_LINKS:
        return path
    kept = sorted(path, key=lambda link: link.start - link.end)[:_MOST_LINKS]
    return sorted(kept, key=lambda link: link.end)


def _link_data(asked: Timeline, link: Link) -> dict[str, Any]:
    at, row = plane_and_row(link.row)
    plane = asked.space.planes[at]
    name = plane.name_of(row)
    op = op_name(name)
    return {
        "name": op.name if op is not None else name,
        "op": op.type if op is not None else None,
        "thread": plane.line_name(int(plane.line_of(np.array([row]))[0])),
        "start_us": asked.since_zero(link.start),
        "time_us": (link.end - link.start) / PS,
        "wait_us": link.wait / PS,
        "by": link.by or None,
    }


def path_facts(path: Sequence[Link], span: int) -> list[str]:
    """Its length within a span, and how its links are known."""
    if not path:
        return []
    ran = sum(link.end - link.start for link in path)
    waited = sum(link.wait for link in path)
    length = f"{units.duration(ran / PS)} ({units.share(ran, span)})"
    count = units.plural(len(path), "execution")
    waiting = f"{units.duration(waited / PS)} of waiting"
    return [f"{count}, each after the one before: {length} and {waiting}", how_linked(path)]


def path_data(
    asked: Timeline, path: Sequence[Link], rows: Sequence[tuple[str, int, int]]
) -> dict[str, Any]:
    return {
        "executions": len(path),
        "time_us": sum(link.end - link.start for link in path) / PS,
        "wait_us": sum(link.wait for link in path) / PS,
        "by_data": sum(link.by == DATA for link in path),
        "top": [{"op": kind, "runs": runs, "time_us": spent / PS} for kind, runs, spent in rows],
        "path": [_link_data(asked, link) for link in _longest_links(path)],
    }
