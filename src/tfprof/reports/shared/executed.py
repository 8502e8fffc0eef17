"""The graph as it ran, for surfaces: they ask reports, not analyses."""

from tfprof.analyses.executed import executed

__all__ = ["executed"]
