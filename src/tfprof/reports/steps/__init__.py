"""What the time of each step went to, and which steps were slow."""

from tfprof.reports.steps.answer import ask, partial_of
from tfprof.reports.steps.query import Query
from tfprof.reports.steps.view import view

__all__ = ["Query", "ask", "partial_of", "view"]
