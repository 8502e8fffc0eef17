"""A history of runs: a line each, and what got slower."""

from tfprof.reports.log.answer import history
from tfprof.reports.log.known import known_run
from tfprof.reports.log.query import Query
from tfprof.reports.log.view import view

__all__ = ["Query", "history", "known_run", "view"]
