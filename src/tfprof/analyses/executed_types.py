"""Where it was, for answers that are not rebuilt yet."""

from tfprof.analyses.executed_types import executed_types, written_types

__all__ = ["executed_types", "written_types"]
