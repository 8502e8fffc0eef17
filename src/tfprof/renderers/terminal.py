"""The same text with colour. rich is loaded here and nowhere else."""

from __future__ import annotations

from typing import TextIO

from tfprof.renderers.layout import report_lines
from tfprof.views.shapes import Report

_STYLES = {"title": "bold cyan", "heading": "bold", "label": "green", "quiet": "bright_black"}


def render(report: Report, out: TextIO, width: int = 80) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=out, width=width, force_terminal=True, highlight=False)
    for line in report_lines(report, width):
        if all(not style for _, style in line):
            out.write("".join(content for content, _ in line) + "\n")  # may be 100,000 lines
            continue
        text = Text()
        for content, style in line:
            text.append(content, _STYLES.get(style, ""))
        console.print(text, no_wrap=True, overflow="ignore", crop=False)
