"""`tfprof explain SLUG`: what a message means, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.option import Option, OptionSection, Takes, Values

if TYPE_CHECKING:
    from tfprof.results.answered import Answered
    from tfprof.results.messages import MessagesResult
    from tfprof.sources.find.load import ProgressOf

_SLUG = Option("slug", "the name of a message, or an exit code", Takes.PATHS, "SLUG")


def _answer(values: Values, _progress: ProgressOf | None) -> Answered[MessagesResult]:
    from tfprof.reports.explain import messages_of

    return messages_of(values.texts("slug"))


COMMAND = Command(
    "explain",
    HelpGroup.MORE,
    "what a message means, and what to try",
    "tfprof explain wrong-kind",
    "nothing",
    (OptionSection("", (_SLUG,)),),
    "explain",
    _answer,
)
