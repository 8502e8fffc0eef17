"""Text as a pipe gets it."""

from tfprof.renderers.registry import Shown
from tfprof.renderers.text import plain


def render(answer: Shown, width: int) -> str:
    return plain.render(answer.view, width)
