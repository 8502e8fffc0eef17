"""The texts of docs/messages.md: what a message means, and what to try."""

from tfprof.reports.explain.answer import messages_of
from tfprof.reports.explain.view import view

__all__ = ["messages_of", "view"]
