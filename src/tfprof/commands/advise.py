"""`tfprof advise PATH...`: what to change, why, and what it gains."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.commands.command import Command, HelpGroup
from tfprof.commands.options.amounts import bytes_of
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.options.scheduler import SCHEDULER, host_work
from tfprof.commands.options.sizes import DIMENSIONS, question_of

if TYPE_CHECKING:
    from tfprof.model.run_log import RunLog
    from tfprof.reports.advise import Query
    from tfprof.results.advice import AdviseResult
    from tfprof.results.answered import Answered
    from tfprof.sources.find.load import ProgressOf

_ADVICE = OptionSection(
    "advice",
    (
        Option("--ignore", "not this rule; input-* are all about input", Takes.MANY, "RULE"),
        Option("--all", "all findings, not the first five", Takes.FLAG, key="every"),
        Option("--device-memory", "what the device has, where no capture tells", metavar="16GB"),
        Option("--log", "what TensorFlow wrote to stderr", metavar="FILE"),
    ),
)


def query_of(values: Values) -> Query:
    from tfprof.reports.advise import Query

    memory = values.text("device_memory")
    return Query(
        question_of(values),
        values.texts("ignore"),
        values.flag("every"),
        bytes_of(memory) if memory else None,
        _log(values),
    )


def _log(values: Values) -> RunLog | None:
    from tfprof.sources.run.tensorflow_log import read_tensorflow_log

    path = values.text("log")
    return read_tensorflow_log(Path(path)) if path else None


def _answer(values: Values, progress: ProgressOf | None) -> Answered[AdviseResult]:
    from tfprof.reports.advise import ask
    from tfprof.reports.advise.tasks import tasks_of
    from tfprof.sources.find.load import read_one

    query = query_of(values)
    with host_work(values, tasks_of) as work:
        return ask(read_one(request_of(values, "advise"), progress, work), query)


COMMAND = Command(
    "advise",
    HelpGroup.START,
    "what to change: evidence, reason, code, expected gain",
    "tfprof advise examples/slow_input",
    "anything",
    (*INPUTS, *DIMENSIONS, _ADVICE, SCHEDULER),
    "advise",
    _answer,
    query=query_of,
)
