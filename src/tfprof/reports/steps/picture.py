"""The steps of a run as a picture."""

from __future__ import annotations

from tfprof.errors import InputMissing
from tfprof.model.units import as_micros
from tfprof.reports.steps.slow_words import slow_notes
from tfprof.reports.steps.view import input_verdict, kinds_of, median_text
from tfprof.results.answered import Answered
from tfprof.results.categories import Category
from tfprof.results.steps import NoSteps, StepsResult
from tfprof.views.chart import Mark, StackLayer, StepChart
from tfprof.views.shapes import PartKind


def picture(answered: Answered[StepsResult | NoSteps]) -> StepChart:
    found, title = answered.data, answered.subject.title
    if isinstance(found, NoSteps):
        raise InputMissing(found.input_bound.reason, where=title)
    slow = slow_notes(found.slow_steps)
    return StepChart(
        f"Where the time of each step went: {title}",
        f"Period: {median_text(found.period)}; {input_verdict(found)}",
        [str(one.step) for one in found.steps],
        [_layer(found, category) for category in kinds_of(found)],
        [Mark(at, slow[one.step]) for at, one in enumerate(found.steps) if one.step in slow],
        [*found.read, f"Steps are {found.marked_by}."],
        median=as_micros(found.hosts[0].median),
    )


def _layer(found: StepsResult, category: Category) -> StackLayer:
    """With the share of an average step, which the text has as well."""
    values = [as_micros(step.breakdown[category]) for step in found.steps]
    share = found.average.breakdown[category] / (found.average.period or 1)
    return StackLayer(PartKind(category.value, category.label), values, share)
