"""`tfprof rules ops`: which op types tfprof knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.option import Option, OptionSection, Takes, Values

if TYPE_CHECKING:
    from tfprof.results.answered import Answered
    from tfprof.results.rules import RulesResult
    from tfprof.sources.find.load import ProgressOf


def _answer(_values: Values, _progress: ProgressOf | None) -> Answered[RulesResult]:
    from tfprof.reports.rules import op_rules

    return op_rules()


COMMAND = Command(
    "rules",
    HelpGroup.MORE,
    "the op types whose shapes and costs tfprof knows",
    "tfprof rules ops",
    "nothing",
    (
        OptionSection(
            "",
            (
                Option("kind", "ops: shapes, FLOPs and memory of op types", Takes.WORD,
                       choices=("ops",)),
            ),
        ),
    ),
    "rules",
    _answer,
)  # fmt: skip
