"""Parquet: the first table of an answer, with every row."""

from tfprof.renderers.data import parquet
from tfprof.renderers.registry import Shown


def render(answer: Shown, _width: int) -> bytes:
    return parquet.render(answer.view)
