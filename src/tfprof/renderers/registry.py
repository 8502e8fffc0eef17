"""The formats of an answer: the files of `output_formats`, each imported when it is written.

Help lists them, and a renderer takes long to import: the name of the file has to be enough.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Protocol, cast

from tfprof.renderers import output_formats as folder

if TYPE_CHECKING:
    from tfprof.results.answered import Answered
    from tfprof.views.shapes import Report

# as they are offered; a format that is not here comes after those that are
_ORDER = ("txt", "md", "csv", "json")


class Shown(Protocol):
    """An answer as a format sees it: all the numbers, and what there is to see of them."""

    @property
    def result(self) -> Answered[object]: ...
    @property
    def view(self) -> Report: ...


class OutputFormat(Protocol):
    """A file of `output_formats`; the width is that of the screen, for text."""

    def render(self, answer: Shown, width: int) -> str: ...


@cache
def output_formats() -> tuple[str, ...]:
    found = {file.name for file in pkgutil.iter_modules(folder.__path__)}
    return (*_ORDER, *sorted(found.difference(_ORDER)))


def rendered(answer: Shown, name: str, width: int) -> str:
    module = importlib.import_module(f"{folder.__name__}.{name}")
    return cast("OutputFormat", module).render(answer, width)
