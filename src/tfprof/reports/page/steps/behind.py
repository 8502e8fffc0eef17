"""What is behind the slices of steps: of all together, and step by step where that is quick."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.analyses.step_time.breakdown import Breakdown, breakdowns
from tfprof.analyses.step_time.evidence import events_behind
from tfprof.reports.page.about import About
from tfprof.reports.shared.input_bound import REST
from tfprof.reports.shared.run_in_time import hosts_in_time
from tfprof.results.categories import Category
from tfprof.results.page_steps import BehindSlice
from tfprof.results.steps import StepsResult

_NAMED, _NAMED_OF_STEP = 12, 6
# events to look through; a slice looks through all of them
_WORK = 12_000_000
# a slice that is no more of its step is seen by nobody
_SEEN = 0.004


def first_breakdown(about: About) -> Breakdown | None:
    """The host whose steps are shown, with its events."""
    found = hosts_in_time(about.data, "steps are parts of one")
    return next((one for _, space in found for one in breakdowns(space)), None)


def slices_behind(found: Breakdown, told: StepsResult) -> Iterator[BehindSlice]:
    """Of every category first; then of slow steps, and of as many others as there is time for."""
    windows = found.steps.windows
    shown = [one for one in Category if one not in REST and told.average.breakdown[one] > 0]
    for category in shown:
        yield _slice(found, category, None, range(len(windows))[found.averaged], _NAMED)
    events = sum(len(one.code) for one in found.planes)
    left = _WORK // max(1, events)
    for step in _worth_a_look(told):
        row = told.steps[step]
        least = _SEEN * max(1, row.period)
        seen = [one for one, took in row.breakdown.items() if one not in REST and took >= least]
        left -= len(seen)
        if left < 0:
            return
        for category in seen:
            yield _slice(found, category, step, [step], _NAMED_OF_STEP)


def _worth_a_look(told: StepsResult) -> list[int]:
    """Slow ones first, those that took longest next."""
    slow = {one.step for one in told.slow_steps}
    places = range(len(told.steps))
    return sorted(places, key=lambda at: (told.steps[at].step not in slow, -told.steps[at].period))


def _slice(
    found: Breakdown, category: Category, step: int | None, places: Sequence[int], most: int
) -> BehindSlice:
    events = events_behind(found, category, [found.steps.windows[at] for at in places])
    return BehindSlice(step, category, tuple(events[:most]), max(0, len(events) - most))
