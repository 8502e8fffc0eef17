"""`tfprof rules ops`, `tfprof rules advice`: which op types and which advice tfprof knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.option import Option, OptionSection, Takes, Values

if TYPE_CHECKING:
    from tfprof.results.advice import AdviceRules
    from tfprof.results.answered import Answered
    from tfprof.results.rules import RulesResult
    from tfprof.sources.find.load import ProgressOf


def _answer(values: Values, _progress: ProgressOf | None) -> Answered[RulesResult | AdviceRules]:
    from tfprof.reports.rules import advice_rules, op_rules

    return advice_rules() if values.text("kind") == "advice" else op_rules()


COMMAND = Command(
    "rules",
    HelpGroup.MORE,
    "the op types and the advice that tfprof has rules for",
    "tfprof rules ops",
    "nothing",
    (
        OptionSection(
            "",
            (
                Option("kind", "ops: shapes, FLOPs and memory of op types; advice: what can be "
                       "found", Takes.WORD, choices=("ops", "advice")),
            ),
        ),
    ),
    "rules",
    _answer,
)  # fmt: skip
