"""Answers that several sections of a page are made from; `about.once` has each made once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tfprof.errors import TfprofError
from tfprof.reports import advise, steps, summary
from tfprof.reports import input as of_input
from tfprof.reports.page.about import About
from tfprof.results.advice import AdviseResult
from tfprof.results.answered import Answered
from tfprof.results.input import InputResult
from tfprof.results.steps import NoSteps, StepsResult
from tfprof.results.summary import SummaryResult

R = TypeVar("R")


def summary_of(about: About) -> Answered[SummaryResult]:
    return summary.ask(about.data, summary.Query(about.query.question))


def advice_of(about: About) -> Answered[AdviseResult]:
    return advise.ask(about.data, advise.Query(about.query.question, every=True))


def steps_of(about: About) -> Answered[StepsResult | NoSteps]:
    return steps.ask(about.data, steps.Query())


def input_of(about: About) -> Answered[InputResult]:
    return of_input.ask(about.data, of_input.Query())


def if_any(about: About, make: Callable[[About], R]) -> R | None:
    """Nothing of a profile that the question cannot be asked of."""
    try:
        return about.once(make)
    except TfprofError:
        return None
