"""What each layer costs before it runs, and took once it has: also by op, node or kernel."""

from tfprof.reports.layers.answer import ask
from tfprof.reports.layers.query import Query
from tfprof.reports.layers.view import view

__all__ = ["Query", "ask", "view"]
