"""`tfprof input PATH...`: the tf.data pipeline, and the stage that keeps the model waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Values
from tfprof.commands.options.scheduler import SCHEDULER, host_work

if TYPE_CHECKING:
    from tfprof.reports.input import Query
    from tfprof.results.answered import Answered
    from tfprof.results.input import InputResult
    from tfprof.sources.find.load import ProgressOf


def _answer(values: Values, progress: ProgressOf | None) -> Answered[InputResult]:
    from tfprof.reports.input import TASKS, ask
    from tfprof.sources.find.load import read_one

    with host_work(values, lambda: TASKS) as work:
        return ask(read_one(request_of(values, "input"), progress, work), query_of(values))


def query_of(_values: Values) -> Query:
    from tfprof.reports.input import Query

    return Query()


COMMAND = Command(
    "input",
    HelpGroup.WHILE,
    "the tf.data pipeline: what each stage takes, and the bottleneck",
    "tfprof input examples/slow_input",
    "XPlane trace",
    (*INPUTS, SCHEDULER),
    "input",
    _answer,
    query=query_of,
)
