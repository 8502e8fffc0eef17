"""Lanes and critical path of a step, the typical one if none is named; or of the part asked for."""

from __future__ import annotations

from tfprof.analyses.steps.host_clock import OWN_STEPS
from tfprof.analyses.steps.typical_step import typical
from tfprof.analyses.timeline.event_filters import Filters
from tfprof.analyses.timeline.host_lanes import LanesPartial, host_lanes
from tfprof.model.hosts import Host
from tfprof.model.profile import ProfileData
from tfprof.model.units import as_micros
from tfprof.reports.shared.whole_hosts import with_cut_hosts_named
from tfprof.reports.shared.words import recognised, shell_path
from tfprof.reports.steps import STEPS
from tfprof.reports.timeline.asked import ENDS, Timeline, nothing_left
from tfprof.reports.timeline.clock_shifts import ClockShifts, clock_shifts, space_on_clock
from tfprof.reports.timeline.path import path_of
from tfprof.reports.timeline.query import Query
from tfprof.results.answered import Answered, answered
from tfprof.results.step_windows import StepWindow
from tfprof.results.timeline import StepTime, TimelineResult, Window

TASKS = (OWN_STEPS, ENDS, STEPS)
_CLOCKS = "Each host by its own clock: `tfprof steps {} --hosts` tells how far these are apart."
_EXPORT = "-o FILE.trace.json.gz writes all events for Perfetto."


def ask(data: ProfileData, query: Query) -> Answered[TimelineResult]:
    asked = Timeline(data, query, clock_shifts(data))
    window = asked.step()
    if window is None and query.begin_ms is None and query.end_ms is None:
        window = typical(asked.steps)
    filters = asked.filters(window)
    begin = filters.begin if filters.begin is not None else asked.zero
    end = filters.end if filters.end is not None else asked.last
    lanes = _lanes(asked, filters, begin, end).finish()
    if not lanes:
        raise nothing_left()
    result = TimelineResult(
        _window(asked, window, begin, end),
        tuple(
            StepTime(one.number, asked.since_zero(one.begin), as_micros(one.duration))
            for one in asked.steps
        ),
        lanes,
        path_of(asked, begin, end),
    )
    no_steps = [] if asked.steps else ["the run marks no steps: all of it is shown"]
    told = with_cut_hosts_named(data).warnings
    warnings = [*told, *no_steps]
    path = shell_path(data.title)
    corrected = asked.shifts.told(path)
    clocks = [corrected or _CLOCKS.format(path)] if len(data.hosts) > 1 else []
    missing = [*told[: len(told) - len(data.warnings)], *map(str, data.left_out)]
    notes = [*dict.fromkeys([*(text for text in missing if text in told), *warnings[:1]])]
    notes += [*clocks, _EXPORT]
    warnings += [corrected] if corrected else []
    return answered("timeline", data, result, warnings, notes, recognised=recognised(data))


def _lanes(asked: Timeline, filters: Filters, begin: int, end: int) -> LanesPartial:
    if not asked.many:
        return host_lanes(asked.space, filters, begin, end)
    hosts = asked.data.hosts
    return hosts.merged(
        f"lanes {begin} {end} {filters}", _lanes_of, filters, begin, end, asked.shifts
    )


def _lanes_of(
    host: Host, filters: Filters, begin: int, end: int, shifts: ClockShifts
) -> LanesPartial:
    space = space_on_clock(host, shifts.of(host.rank))
    if space is None:
        return LanesPartial(end - begin)
    return host_lanes(space, filters, begin, end, host.rank)


def _window(asked: Timeline, window: StepWindow | None, begin: int, end: int) -> Window:
    return Window(
        window.number if window is not None else None,
        asked.since_zero(begin),
        asked.since_zero(end),
        as_micros(end - begin),
        chosen=asked.query.step is None,
    )
