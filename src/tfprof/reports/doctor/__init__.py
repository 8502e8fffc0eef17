"""What is here, what was taken and why, what is missing and the next command."""

from tfprof.reports.doctor.answer import ask_paths
from tfprof.reports.doctor.view import view

__all__ = ["ask_paths", "view"]
