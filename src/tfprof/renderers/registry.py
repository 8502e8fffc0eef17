"""The formats of an answer: the files of `output_formats`, each imported when it is written.

Help lists them, and a renderer takes long to import: the name of the file has to be enough.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Protocol, cast

from tfprof.module_names import module_names
from tfprof.renderers import output_formats as folder

if TYPE_CHECKING:
    from tfprof.results.answered import Answered
    from tfprof.views.shapes import Report

# as they are offered; a format that is not here comes after those that are
_ORDER = ("txt", "md", "csv", "json")
# what only the commands write that say so
_OF_SOME = ("junit", "speedscope")
# of those whose suffix is not their name
_SUFFIXES = {"junit": ".xml", "speedscope": ".speedscope.json"}


class Shown(Protocol):
    """An answer as a format sees it: all the numbers, and what there is to see of them."""

    @property
    def result(self) -> Answered[object]: ...
    @property
    def view(self) -> Report: ...


class OutputFormat(Protocol):
    """A file of `output_formats`; the width is that of the screen, for text."""

    def render(self, answer: Shown, width: int) -> str | bytes: ...


@cache
def output_formats(own: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Those of every answer, and of those that only some have the ones that a command names."""
    found = module_names(folder.__path__)
    usual = sorted(found.difference(_ORDER, _OF_SOME))
    return (*_ORDER, *usual, *(name for name in own if name in found))


def suffixes(own: tuple[str, ...] = ()) -> dict[str, str]:
    """Of files: to the format."""
    return {_SUFFIXES.get(name, f".{name}"): name for name in output_formats(own)}


def format_of(file_name: str, own: tuple[str, ...] = ()) -> str | None:
    """The format of a file of this name, by the longest suffix that one has."""
    known = suffixes(own)
    fitting = [suffix for suffix in suffixes(_OF_SOME) if file_name.lower().endswith(suffix)]
    return known.get(max(fitting, key=len)) if fitting else None


def rendered(answer: Shown, name: str, width: int) -> str | bytes:
    module = importlib.import_module(f"{folder.__name__}.{name}")
    return cast("OutputFormat", module).render(answer, width)
