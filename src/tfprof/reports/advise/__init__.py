"""What to change: findings with evidence, reason, the change, and what it gains."""

from tfprof.reports.advise.answer import ask, first_finding
from tfprof.reports.advise.query import Query
from tfprof.reports.advise.view import view

__all__ = ["Query", "ask", "first_finding", "view"]
