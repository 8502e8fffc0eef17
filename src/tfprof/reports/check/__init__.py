"""Are the budgets kept? Each with what was measured, what is allowed, and who takes most of it."""

from tfprof.reports.check.answer import ask
from tfprof.reports.check.limits import METRICS, Limit, limits_of
from tfprof.reports.check.query import Query
from tfprof.reports.check.view import view

__all__ = ["METRICS", "Limit", "Query", "ask", "limits_of", "view"]
