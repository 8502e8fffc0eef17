"""What changed between models or runs, sorted by effect, with the noise band."""

from tfprof.reports.diff.answer import compare
from tfprof.reports.diff.query import Query
from tfprof.reports.diff.view import view

__all__ = ["Query", "compare", "view"]
