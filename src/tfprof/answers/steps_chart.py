"""The steps of a run as a picture."""

from __future__ import annotations

import numpy as np

from tfprof.analyses.step_time.breakdown import Breakdown, breakdowns
from tfprof.analyses.step_time.codes import CATEGORIES
from tfprof.analyses.step_time.slow import slow_steps
from tfprof.answers.slow_steps import slow_notes
from tfprof.answers.spaces import run_in_time
from tfprof.answers.step_parts import NO_STEPS, PS, input_verdict, median_text
from tfprof.errors import InputMissing
from tfprof.model.profile import ProfileData
from tfprof.views.chart import Layer, Mark, StepChart
from tfprof.views.shapes import Kind


def steps_chart(data: ProfileData) -> StepChart:
    found = next(breakdowns(run_in_time(data, "steps are parts of one").space), None)
    if found is None:
        raise InputMissing(NO_STEPS, where=data.title)
    windows = found.steps.windows
    slow = slow_notes(slow_steps(windows, found.time, found.planes))
    return StepChart(
        f"Where the time of each step went: {data.title}",
        f"Period: {median_text(found)}; {input_verdict(found)}",
        [str(window.number) for window in windows],
        _layers(found),
        [Mark(place, slow[w.number]) for place, w in enumerate(windows) if w.number in slow],
        [*data.warnings, f"Steps are {found.steps.about}."],
        median=float(np.median(found.known_periods)) / PS,
    )


def _layers(found: Breakdown) -> list[Layer]:
    """With the shares of an average step, which the text has as well."""
    average = found.average()
    whole = sum(average.values()) or 1
    return [
        Layer(
            Kind(category.value, category.label),
            (found.time[:, place] / PS).tolist(),
            average[category] / whole,
        )
        for place, category in enumerate(CATEGORIES)
        if found.time[:, place].any()
    ]
