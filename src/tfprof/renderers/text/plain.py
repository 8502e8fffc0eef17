"""Text without colour: for pipes, files and NO_COLOR."""

from __future__ import annotations

from tfprof.renderers.text.layout import report_lines
from tfprof.views.shapes import Report


def render(report: Report, width: int = 80) -> str:
    lines = ("".join(text for text, _ in line).rstrip() for line in report_lines(report, width))
    return "\n".join(lines) + "\n"
