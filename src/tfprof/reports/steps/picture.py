"""The steps of a run as a picture."""

from __future__ import annotations

from tfprof.errors import InputMissing
from tfprof.model.units import as_micros
from tfprof.reports.steps.hosts_view import ONE_HOST, heat_map
from tfprof.reports.steps.overlap_words import straggler_texts
from tfprof.reports.steps.slow_words import slow_notes
from tfprof.reports.steps.view import input_verdict, kinds_of, median_text
from tfprof.results.answered import Answered
from tfprof.results.categories import Category
from tfprof.results.steps import Look, NoSteps, StepsResult
from tfprof.views.chart import HeatChart, Mark, StackLayer, StepChart
from tfprof.views.shapes import PartKind

_NAMED = 3


def picture(answered: Answered[StepsResult | NoSteps]) -> StepChart | HeatChart:
    found, title = answered.data, answered.subject.title
    if isinstance(found, NoSteps):
        raise InputMissing(found.input_bound.reason, where=title)
    if found.asked.look is Look.HOSTS:
        return _hosts(found, title)
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


def _hosts(found: StepsResult, title: str) -> HeatChart:
    between = found.between
    heat = heat_map(between) if between is not None else None
    if between is None or heat is None:
        why = (between.why_not if between is not None else None) or ONE_HOST
        raise InputMissing(why, where=title)
    said = straggler_texts(found, "host") or ["no host is far behind the others"]
    return HeatChart(
        f"What each host takes of each step: {title}",
        "What it takes without waiting for others, the slowest first"
        if between.meet
        else "Up to where the marker of the step closes, the slowest host first",
        heat,
        [*(f"{text[0].upper()}{text[1:]}." for text in said[:_NAMED]), *found.read[:1]],
    )


def _layer(found: StepsResult, category: Category) -> StackLayer:
    """With the share of an average step, which the text has as well."""
    values = [as_micros(step.breakdown[category]) for step in found.steps]
    share = found.average.breakdown[category] / (found.average.period or 1)
    return StackLayer(PartKind(category.value, category.label), values, share)
