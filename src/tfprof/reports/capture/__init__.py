"""What was sampled of running processes, and what it shows at first sight."""

from tfprof.reports.capture.answer import captured
from tfprof.reports.capture.view import view

__all__ = ["captured", "view"]
