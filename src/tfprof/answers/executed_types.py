"""The op type of each node as it ran."""

from __future__ import annotations

from tfprof.model.profile import ProfileData


def executed_types(data: ProfileData) -> dict[str, str]:
    """By name; a node that took others in ran as an op of another type."""
    graphs = [data.graph] if data.graph is not None else []
    graphs += [partition.load() for partition in data.trace.partitions] if data.trace else []
    return {name: graph.ops[row] for graph in graphs for row, name in enumerate(graph.names)}
