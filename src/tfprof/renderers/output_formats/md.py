"""Markdown."""

from tfprof.renderers.registry import Shown
from tfprof.renderers.text import markdown


def render(answer: Shown, _width: int) -> str:
    return markdown.render(answer.view)
