"""An average step of each side as a picture: the story of what was tried."""

from __future__ import annotations

from tfprof.errors import InputMissing
from tfprof.model.units import as_micros, duration
from tfprof.reports.diff.answer import short_names
from tfprof.results.answered import Answered
from tfprof.results.categories import Category
from tfprof.results.diff import DiffResult
from tfprof.views.chart import StackLayer, StepChart
from tfprof.views.shapes import PartKind


def picture(answered: Answered[DiffResult]) -> StepChart:
    sides = [one for one in answered.data.sides if one.breakdown]
    if len(sides) < 2:
        raise InputMissing(
            "no two sides have steps: the picture is of their time",
            where=answered.subject.title,
            hint="Compare captures or runs; `tfprof diff` tells what else differs.",
        )
    kinds = [one for one in Category if any(side.breakdown.get(one) for side in sides)]
    told = (side.step_us.number for side in sides)
    return StepChart(
        f"An average step of each: {answered.subject.title}",
        " → ".join(duration(step) for step in told if step is not None),
        short_names([side.name for side in sides]),
        [
            StackLayer(
                PartKind(kind.value, kind.label),
                [as_micros(side.breakdown.get(kind, 0.0)) for side in sides],
            )
            for kind in kinds
        ],
        notes=answered.notes,
        median=as_micros(sum(sides[0].breakdown.values())),
        level="the first",
        across="",
    )
