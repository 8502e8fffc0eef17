"""The graph as it ran, for surfaces: they ask reports, not analyses."""

from tfprof.analyses.graph.partition_graphs import executed

__all__ = ["executed"]
