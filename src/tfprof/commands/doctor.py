"""`tfprof doctor PATH...`: what is here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Values

if TYPE_CHECKING:
    from tfprof.results.answered import Answered
    from tfprof.results.doctor import DoctorResult
    from tfprof.sources.find.load import ProgressOf


def _answer(values: Values, progress: ProgressOf | None) -> Answered[DoctorResult]:
    from tfprof.reports.doctor import ask_paths

    return ask_paths(request_of(values, "doctor"), progress)


COMMAND = Command(
    "doctor",
    HelpGroup.START,
    "what is here, what is taken and why, what is missing",
    "tfprof doctor examples",
    "anything",
    INPUTS,
    "doctor",
    _answer,
)
