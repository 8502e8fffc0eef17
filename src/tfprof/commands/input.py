"""`tfprof input PATH...`: the tf.data pipeline, and the stage that keeps the model waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Values

if TYPE_CHECKING:
    from tfprof.reports.input import Query
    from tfprof.results.answered import Answered
    from tfprof.results.input import InputResult
    from tfprof.sources.find.load import ProgressOf


def _answer(values: Values, progress: ProgressOf | None) -> Answered[InputResult]:
    from tfprof.reports.input import ask
    from tfprof.sources.find.load import read_one

    return ask(read_one(request_of(values, "input"), progress), query_of(values))


def query_of(_values: Values) -> Query:
    from tfprof.reports.input import Query

    return Query()


COMMAND = Command(
    "input",
    HelpGroup.WHILE,
    "the tf.data pipeline: what each stage takes, and the bottleneck",
    "tfprof input examples/slow_input",
    "XPlane trace",
    INPUTS,
    "input",
    _answer,
    query=query_of,
)
