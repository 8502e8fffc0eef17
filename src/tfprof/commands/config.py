"""`tfprof config [COMMAND]`: what options are where nobody says them, and who says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.option import Option, OptionSection, Takes

if TYPE_CHECKING:
    from tfprof.results.answered import Answered
    from tfprof.results.config import ConfigResult
    from tfprof.views.shapes import Report


def view(answered: Answered[ConfigResult]) -> Report:
    from tfprof.views.shapes import Column, Facts, Notes, Report, Table, without_empty

    found = answered.data
    columns = [
        Column("key", "setting"), Column("value", "value"), Column("source", "from"),
        Column("variable", "variable"),
    ]  # fmt: skip
    rows = [[one.key, one.value or "", one.source, one.variable] for one in found.values]
    said = Facts([("File", found.file or "no pyproject.toml with [tool.tfprof]")])
    parts = without_empty([said, Table(columns, rows), Notes(answered.notes)])
    return Report(*answered.subject.lines, parts)


COMMAND = Command(
    "config",
    HelpGroup.MORE,
    "what options are where nobody says them, and who says so",
    "tfprof config layers",
    "nothing",
    (OptionSection("", (Option("about", "the command (default: what is set for any)",
                               Takes.PATHS, "COMMAND"),)),),
    __name__,
)  # fmt: skip
