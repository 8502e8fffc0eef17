"""What a command is: the question, what may be said with it, and who answers."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Protocol, cast

from tfprof.commands.options.option import OptionSection, Values
from tfprof.frozen_dataclass import frozen_dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from tfprof.model.profile import ProfileData
    from tfprof.results.answered import Answered
    from tfprof.sources.find.load import ProgressOf
    from tfprof.views.chart import Picture
    from tfprof.views.shapes import Report


class HelpGroup(Enum):
    """What people ask, in the order in which they ask it."""

    START = "start here"
    BEFORE = "before it runs"
    WHILE = "while it ran"
    VIEWS = "the original's views"
    MORE = "more"


class ReportModule(Protocol):
    """A package of `reports`, or a small command itself: the answer, and how it is shown."""

    def ask(self, data: ProfileData, query: object) -> Answered[object]: ...
    def view(self, answered: Answered[object]) -> Report: ...


class PictureModule(Protocol):
    """The file of such a package that draws; a package without one has no picture."""

    def picture(self, answered: Answered[object]) -> Picture: ...


@frozen_dataclass
class Files:
    """An answer that goes into files of its own: each is written whole or not at all.

    `then` tells what to do with them. `inputs` are the files it was made from. `told` is the answer
    about what was written, for whoever asks for it as data. `after` is done when all are there.
    """

    contents: Mapping[Path, Iterable[bytes]]
    replace: bool
    then: str = ""
    warnings: tuple[str, ...] = ()
    inputs: tuple[Path, ...] = ()
    told: Callable[[], Answered[object]] | None = None
    after: Callable[[], None] | None = None


Answers = Callable[[Values, "ProgressOf | None"], "Answered[object] | Files"]


@frozen_dataclass
class Drawing:
    """A picture of the answer: what it shows, what may be said with it, how it is asked for.

    `subject` is what `tfprof draw` calls it, where that is not the name of the command.
    """

    help: str
    options: tuple[OptionSection, ...]
    answer: Callable[[Values, ProgressOf | None], Answered[object]]
    subject: str = ""


@frozen_dataclass
class Command:
    """`report` is the package of `reports` that answers; `needs` is what it reads.

    A small command answers in its own file: its `report` is `__name__`.

    `answer` takes the words of a call. A command without is the surface's own, as the prompt is.
    Where nothing that is shown has a place for warnings, the surface tells them.
    """

    name: str
    group: HelpGroup
    help: str
    example: str
    needs: str
    options: tuple[OptionSection, ...] = ()
    report: str = ""
    answer: Answers | None = None
    drawing: Drawing | None = None
    # what of it may be said at the prompt, where the profile is loaded already
    query: Callable[[Values], object] | None = None
    tells_warnings: bool = False
    # of files that the command itself writes, beside those every answer can be written in
    suffixes: tuple[str, ...] = ()
    # what the shell ends with, where that is part of the answer
    exit_code: Callable[[Answered[object]], int] | None = None
    # of the formats that only some answers have
    formats: tuple[str, ...] = ()
    # what help shows, where words follow that are not ours
    usage: str | None = None

    def module(self) -> ReportModule:
        """Imported when somebody asks: a list of commands needs none of them."""
        own = self.report if "." in self.report else f"tfprof.reports.{self.report}"
        return cast("ReportModule", importlib.import_module(own))

    def picture(self, answered: Answered[object]) -> Picture:
        module = importlib.import_module(f"tfprof.reports.{self.report}.picture")
        return cast("PictureModule", module).picture(answered)
