"""Which op ran or is placed where, what goes from device to device, what was soft-placed."""

from tfprof.reports.placement.answer import ask
from tfprof.reports.placement.query import Query
from tfprof.reports.placement.view import view

__all__ = ["Query", "ask", "view"]
