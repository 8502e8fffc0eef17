"""`tfprof steps PATH...`: what the time of each step went to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.commands.command import Command, Drawing, HelpGroup
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.options.scheduler import SCHEDULER, host_work

if TYPE_CHECKING:
    from tfprof.reports.steps import Query
    from tfprof.results.answered import Answered
    from tfprof.results.steps import NoSteps, StepsResult
    from tfprof.sources.find.load import ProgressOf

_STEPS = OptionSection(
    "steps",
    (
        Option("--step", "one step, and what was in it", Takes.WHOLE, "N"),
        Option("--events", "the events behind one category", metavar="CATEGORY"),
        Option("--gaps", "the longest gaps of devices, and what the host did", Takes.FLAG),
        Option("--hosts", "hosts beside each other: who is slow, who waits", Takes.FLAG),
        Option("--device", "with only one of several devices", metavar="DEVICE"),
    ),
)


_DRAWN = OptionSection(
    "steps", (Option("--hosts", "hosts beside each other, step by step", Takes.FLAG),)
)


def _answer(values: Values, progress: ProgressOf | None) -> Answered[StepsResult | NoSteps]:
    return _asked("steps", values, progress)


def _drawn(values: Values, progress: ProgressOf | None) -> Answered[StepsResult | NoSteps]:
    return _asked("draw steps", values, progress)


def _asked(
    command: str, values: Values, progress: ProgressOf | None
) -> Answered[StepsResult | NoSteps]:
    from tfprof.reports.steps import TASKS, ask
    from tfprof.sources.find.load import read_one

    with host_work(values, lambda: TASKS) as work:
        return ask(read_one(request_of(values, command), progress, work), query_of(values))


def query_of(values: Values) -> Query:
    from tfprof.reports.steps import Query

    events, device = values.text("events"), values.text("device")
    return Query(values.whole("step"), events, values.flag("gaps"), device, values.flag("hosts"))


COMMAND = Command(
    "steps",
    HelpGroup.WHILE,
    "what each step's time went to: compute, input, host, idle",
    "tfprof steps examples/slow_input",
    "trace",
    (*INPUTS, _STEPS, SCHEDULER),
    "steps",
    _answer,
    Drawing("what the time of each step went to", (*INPUTS, _DRAWN), _drawn),
    query_of,
)
