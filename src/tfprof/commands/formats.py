"""`tfprof formats`: what can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.option import Values

if TYPE_CHECKING:
    from tfprof.results.answered import Answered
    from tfprof.results.formats import FormatsResult
    from tfprof.sources.find.load import ProgressOf


def _answer(_values: Values, _progress: ProgressOf | None) -> Answered[FormatsResult]:
    from tfprof.reports.formats import formats_known

    return formats_known()


COMMAND = Command(
    "formats",
    HelpGroup.MORE,
    "the files tfprof knows and how it tells them apart",
    "tfprof formats",
    "nothing",
    report="formats",
    answer=_answer,
)
