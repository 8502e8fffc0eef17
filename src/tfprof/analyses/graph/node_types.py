"""The op type of each node, as it was written and as it ran."""

from __future__ import annotations

from collections.abc import Iterable

from tfprof.model.graph import Graph
from tfprof.model.profile import ProfileData


def written_types(data: ProfileData) -> dict[str, str]:
    """By name, also of nodes that only the executed graphs have."""
    return _types([*_executed(data), *_written(data)])


def executed_types(data: ProfileData) -> dict[str, str]:
    """By name; a node that took others in ran as an op of another type."""
    return _types([*_written(data), *_executed(data)])


def _types(graphs: Iterable[Graph]) -> dict[str, str]:
    """What a later graph says is what counts."""
    return {name: graph.ops[row] for graph in graphs for row, name in enumerate(graph.names)}


def _written(data: ProfileData) -> list[Graph]:
    return [data.graph] if data.graph is not None else []


def _executed(data: ProfileData) -> list[Graph]:
    hosts = (*data.hosts, *data.sessions)
    # a capture has none, and is not read for that
    ran = (host for host in hosts if host.facts is None)
    return [part.load() for host in ran for part in host.trace.partitions]
