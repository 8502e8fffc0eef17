"""Text as a pipe gets it."""

from tfprof.renderers import plain
from tfprof.renderers.registry import Shown


def render(answer: Shown, width: int) -> str:
    return plain.render(answer.view, width)
