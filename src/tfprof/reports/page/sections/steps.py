"""What the time of each step went to, which were slow, and what is behind a slice."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tfprof.model.units import as_micros
from tfprof.reports import steps
from tfprof.reports.page.about import About, NothingToShow
from tfprof.reports.page.answers import steps_of
from tfprof.reports.page.shown import facts_of, notes_of, table_part, tables_of
from tfprof.reports.page.steps.behind import first_breakdown, slices_behind
from tfprof.reports.steps.overlap_words import devices_table, gaps_table
from tfprof.reports.steps.slow_words import slow_notes, slow_texts
from tfprof.reports.steps.view import kinds_of
from tfprof.results.page_steps import CategoryTimes, SlowNote, StepTimes
from tfprof.results.steps import NoSteps, StepsResult


def section(about: About) -> Mapping[str, object]:
    answer = about.once(steps_of)
    found = answer.data
    if isinstance(found, NoSteps):
        raise NothingToShow(found.input_bound.reason)
    report = steps.view(answer)
    tables = [one for one in tables_of(report) if one.parts and one.parts[0].key != "device"]
    events = about.once(first_breakdown)
    return {
        "steps": _times(found),
        "slow": _slow(found),
        "behind": list(slices_behind(events, found)) if events is not None else [],
        "verdict": found.verdict,
        "devices": table_part(devices_table(found)) if found.devices else None,
        "gaps": table_part(gaps_table(found)) if found.gaps else None,
        "facts": facts_of(report),
        "tables": tables,
        "notes": notes_of(report),
    }


def _times(found: StepsResult) -> StepTimes:
    tags = [one.tag or "" for one in found.steps]
    return StepTimes(
        np.array([one.step for one in found.steps], np.float64),
        np.array([as_micros(one.period) for one in found.steps], np.float64),
        tags if any(tags) else None,
        [
            CategoryTimes(
                kind.value,
                np.array([as_micros(one.breakdown[kind]) for one in found.steps], np.float64),
                as_micros(found.average.breakdown[kind]),
            )
            for kind in kinds_of(found)
        ],
        as_micros(found.hosts[0].median),
    )


def _slow(found: StepsResult) -> list[SlowNote]:
    places = {one.step: at for at, one in enumerate(found.steps)}
    short = slow_notes(found.slow_steps)
    return [
        SlowNote(places[one.step], short[one.step], text)
        for one, text in zip(found.slow_steps, slow_texts(found.slow_steps), strict=True)
        if one.step in places
    ]
