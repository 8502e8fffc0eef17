"""CSV: the tables, with every row."""

from tfprof.renderers.data import csv
from tfprof.renderers.registry import Shown


def render(answer: Shown, _width: int) -> str:
    return csv.render(answer.view)
