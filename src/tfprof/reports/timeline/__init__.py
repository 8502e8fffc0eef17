"""What ran when: lanes and the critical path of a step, or all of it for a trace viewer."""

from tfprof.reports.timeline.answer import TASKS, ask
from tfprof.reports.timeline.export import trace_of
from tfprof.reports.timeline.query import Query
from tfprof.reports.timeline.view import view

__all__ = ["TASKS", "Query", "ask", "trace_of", "view"]
