"""The same text with colour. rich is loaded here and nowhere else."""

from __future__ import annotations

from typing import TextIO

from tfprof.renderers.drawing.category_colours import LOOKS, CategoryLook
from tfprof.renderers.text.layout import report_lines
from tfprof.views.shapes import Report

_STYLES = {"title": "bold cyan", "heading": "bold", "label": "green", "quiet": "bright_black"}
_MANY_COLOURS = ("256", "truecolor")


def render(report: Report, out: TextIO, width: int = 80) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=out, width=width, force_terminal=True, highlight=False)
    styles = _STYLES | {key: _area(look, console.color_system) for key, look in LOOKS.items()}
    for line in report_lines(report, width):
        if all(not style for _, style in line):
            out.write("".join(content for content, _ in line) + "\n")  # may be 100,000 lines
            continue
        text = Text()
        for content, style in line:
            text.append(content, styles.get(style, ""))
        console.print(text, no_wrap=True, overflow="ignore", crop=False)


def _area(look: CategoryLook, colours: str | None) -> str:
    """Solid, where there are colours enough to tell all areas apart; else the letters show."""
    return f"{look.dark} on {look.dark}" if colours in _MANY_COLOURS else look.dark
