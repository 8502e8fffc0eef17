"""What is this model, what does it cost, where does the cost sit? One screen."""

from tfprof.reports.summary.answer import ask
from tfprof.reports.summary.brief import Brief, brief_of
from tfprof.reports.summary.from_paths import ask_paths
from tfprof.reports.summary.query import Query
from tfprof.reports.summary.view import view

__all__ = ["Brief", "Query", "ask", "ask_paths", "brief_of", "view"]
