"""Every section that this profile has something for, in the order of the page."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Final, Protocol, cast

from tfprof import __version__
from tfprof.errors import TfprofError
from tfprof.model.profile import ProfileData
from tfprof.model.remembered import remembering
from tfprof.module_names import module_names
from tfprof.reports.page import sections as folder
from tfprof.reports.page.about import About, NothingToShow
from tfprof.reports.page.query import Query
from tfprof.reports.shared.whole_hosts import with_cut_hosts_named
from tfprof.reports.shared.words import recognised
from tfprof.results.answered import Answered, answered
from tfprof.results.page import Absent, Page, PageWritten, Section, SectionSize

# as they are read; a section that is not here comes after those that are
_ORDER: Final = (
    "overview",
    "steps",
    "input",
    "timeline",
    "graph",
    "flame",
    "ops",
    "memory",
    "diff",
)
# of the file: what a section may take that has more than anybody can look at
_SHARES: Final = {"timeline": 0.45, "graph": 0.25}
_OTHERS_SHARE: Final = 0.06

# hears which section is being made, and how many of how many are
Progress = Callable[[str, int, int], None]


class SectionModule(Protocol):
    """A file of `sections`: the results of one section, or NothingToShow."""

    def section(self, about: About) -> Mapping[str, object]: ...


@remembering()
def ask(data: ProfileData, query: Query, progress: Progress | None = None) -> Answered[Page]:
    about = About(data, query)
    shown: list[Section] = []
    absent: list[Absent] = []
    names = kinds()
    for at, kind in enumerate(names):
        if progress is not None:
            progress(kind, at, len(names))
        about.room = int(query.max_bytes * _SHARES.get(kind, _OTHERS_SHARE))
        module = cast("SectionModule", importlib.import_module(f"{folder.__name__}.{kind}"))
        try:
            shown.append(Section(kind, module.section(about)))
        except (NothingToShow, TfprofError) as why:
            absent.append(Absent(kind, _told(why)))
    said = recognised(data)
    data = with_cut_hosts_named(data)
    notes = (*data.warnings, *about.notes)
    page = Page(data.title, said, __version__, tuple(shown), tuple(absent), notes)
    return answered("report", data, page, data.warnings, recognised=said)


def _told(why: Exception) -> str:
    hint = why.hint if isinstance(why, TfprofError) else None
    return f"{why} {hint}" if hint else str(why)


def kinds() -> tuple[str, ...]:
    found = module_names(folder.__path__)
    return (*(one for one in _ORDER if one in found), *sorted(found.difference(_ORDER)))


def written(
    page: Answered[Page], target: str, size: int, sizes: Mapping[str, int], left: tuple[Absent, ...]
) -> Answered[PageWritten]:
    """What is told of a page when it is in its file; `left` are sections without room."""
    shown = tuple(SectionSize(kind, bytes_) for kind, bytes_ in sizes.items())
    told = PageWritten((target,), size, shown, (*page.data.absent, *left), page.data.notes)
    return Answered(page.schema, "report", page.inputs, page.warnings, told, page.subject)
