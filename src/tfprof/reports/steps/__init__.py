"""What the time of each step went to, and which steps were slow."""

from tfprof.reports.steps.answer import STEPS, TASKS, ask, partial_of, steps_of_host, steps_of_hosts
from tfprof.reports.steps.query import Query
from tfprof.reports.steps.view import view

__all__ = [
    "STEPS",
    "TASKS",
    "Query",
    "ask",
    "partial_of",
    "steps_of_host",
    "steps_of_hosts",
    "view",
]
