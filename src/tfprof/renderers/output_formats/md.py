"""Markdown."""

from tfprof.renderers import markdown
from tfprof.renderers.registry import Shown


def render(answer: Shown, _width: int) -> str:
    return markdown.render(answer.view)
