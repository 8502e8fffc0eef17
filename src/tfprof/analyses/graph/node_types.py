"""The op type of each node, as it was written and as it ran."""

from __future__ import annotations

from collections.abc import Iterable

from tfprof.model.graph import Graph
from tfprof.model.profile import ProfileData
from tfprof.model.remembered import parts_of, remembered


def written_types(data: ProfileData) -> dict[str, str]:
    """By name, also of nodes that only the executed graphs have."""
    return _types([*_executed(data), *_written(data)])


@remembered(lambda data: (parts_of(data), ()))
def executed_types(data: ProfileData) -> dict[str, str]:
    """By name; a node that took others in ran as an op of another type."""
    return _types([*_written(data), *_executed(data)])


def _types(graphs: Iterable[Graph]) -> dict[str, str]:
    """What a later graph says is what counts."""
    found: dict[str, str] = {}
    for graph in graphs:
        table, codes = graph.ops.table, graph.ops.codes.tolist()
        found.update(zip(graph.names, map(table.__getitem__, codes), strict=True))
    return found


def _written(data: ProfileData) -> list[Graph]:
    return [data.graph] if data.graph is not None else []


def _executed(data: ProfileData) -> list[Graph]:
    hosts = (*data.hosts, *data.sessions)
    # a capture has none, and is not read for that
    ran = (host for host in hosts if host.facts is None)
    return [part.load() for host in ran for part in host.trace.partitions]
