"""`tfprof summary PATH...`, and what `tfprof PATH...` means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.options.scheduler import SCHEDULER, host_work
from tfprof.commands.options.sizes import DIMENSIONS, question_of

if TYPE_CHECKING:
    from tfprof.model.host_work import HostTask
    from tfprof.reports.summary import Query
    from tfprof.results.answered import Answered
    from tfprof.results.summary import ModelsResult, SummaryResult
    from tfprof.sources.find.load import ProgressOf

_OWN = OptionSection(
    "",
    (
        Option("--stats", "read every value of a checkpoint: extremes, NaN, zeros", Takes.FLAG),
        Option("--signature", "of a SavedModel (default: serving_default)", metavar="NAME"),
    ),
)


def query_of(values: Values) -> Query:
    from tfprof.reports.summary import Query

    return Query(question_of(values), values.flag("stats"), values.texts("ignore"))


def _tasks() -> tuple[HostTask, ...]:
    from tfprof.reports.summary.tasks import TASKS

    return TASKS


def _answer(values: Values, progress: ProgressOf | None) -> Answered[SummaryResult | ModelsResult]:
    from tfprof.reports.summary import ask_paths

    query = query_of(values)
    with host_work(values, _tasks) as work:
        return ask_paths(request_of(values, "summary"), query, progress, work)


COMMAND = Command(
    "summary",
    HelpGroup.START,
    "what this model is, what it costs, where the cost sits",
    "tfprof examples/unet",
    "anything",
    (*INPUTS, *DIMENSIONS, _OWN, SCHEDULER),
    "summary",
    _answer,
    query=query_of,
)
