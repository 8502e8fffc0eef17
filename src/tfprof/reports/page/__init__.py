"""All that can be shown of a profile, for one page."""

from tfprof.reports.page.answer import Progress, ask, written
from tfprof.reports.page.query import MAX_BYTES, Query
from tfprof.reports.page.view import view

__all__ = ["MAX_BYTES", "Progress", "Query", "ask", "view", "written"]
