"""JSON: the result itself, whatever there is to see of it."""

from tfprof.renderers.data import json
from tfprof.renderers.registry import Shown


def render(answer: Shown, _width: int) -> str:
    return json.render(answer.result)
