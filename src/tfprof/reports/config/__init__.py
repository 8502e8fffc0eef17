"""What options are where nobody says them; the command line itself answers."""

from tfprof.reports.config.view import view

__all__ = ["view"]
