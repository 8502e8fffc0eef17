"""Was the device waiting? What the time of each step went to, and which steps were slow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import cast

from tfprof.analyses.overlap.fragments import missing_parts
from tfprof.analyses.overlap.host_steps import host_steps, of_fragment, with_only
from tfprof.analyses.step_time.breakdown import Breakdown, breakdowns
from tfprof.analyses.step_time.evidence import events_behind
from tfprof.analyses.steps.host_clock import OWN_STEPS
from tfprof.errors import InputMissing, UsageError
from tfprof.model.device import short_names
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host, Hosts
from tfprof.model.merging import merged
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity
from tfprof.model.remembered import remembered
from tfprof.model.xspace import Space
from tfprof.reports.shared.input_bound import NO_OPS, is_input_bound
from tfprof.reports.shared.logged_run import logged_of, not_numbers
from tfprof.reports.shared.recorded_run import capture_rows, epoch_rows, trace_overhead
from tfprof.reports.shared.run_in_time import check_events, hosts_in_time
from tfprof.reports.shared.whole_hosts import with_whole_hosts
from tfprof.reports.shared.words import FRAGMENT, recognised, shell_path
from tfprof.reports.steps.overlap_words import is_mostly_outside
from tfprof.reports.steps.partial import StepsPartial
from tfprof.reports.steps.query import Query
from tfprof.reports.steps.recorded_versions import with_recorded_versions
from tfprof.results.answered import Answered, answered
from tfprof.results.categories import Category
from tfprof.results.host_brief import HostBrief
from tfprof.results.host_steps import HostSteps
from tfprof.results.partial import file_of, ranked
from tfprof.results.step_windows import StepWindow
from tfprof.results.steps import Behind, Bound, CategorySlice, Look, NoSteps, StepsResult

NO_STEPS = (
    "no steps were found: no event has a step_num, no function is called again and again, "
    "no dataset is read"
)
_MARK = "Mark them: with tf.profiler.experimental.Trace('train', step_num=step, _r=1): ..."
_SEE_PYTHON = (
    "What Python does there: tf.profiler.experimental.start(logdir, "
    "options=tfprof.profiler_options(python_tracer_level=1)) records every call; "
    "with tf.profiler.experimental.Trace('my callback'): ... names one."
)
_SLICES_SHOWN = 3
_MOSTLY = 0.5
_SHOWS = "steps are parts of one"
_OF_EVENTS = (Look.STEP, Look.EVENTS)


def ask(data: ProfileData, query: Query) -> Answered[StepsResult | NoSteps]:
    category = query.category
    data = with_whole_hosts(data)
    partial = _all_hosts(data)
    shown = partial.first
    if shown is None:
        return _without_steps(data)
    found = None
    if query.device is not None or query.look in _OF_EVENTS:
        named = _named(partial, query.device or "")
        found = _with_events(data, named)
        shown = shown if shown.rank == named.rank else _whole(found, named)
    if query.device is not None and found is not None:
        found = _with_one(found, shown, query.device)
        shown = with_only(shown, found)
    partial = with_recorded_versions(partial, data)
    result = _looked_at(_tagged(partial.finish(query, shown), data), found, category)
    result = replace(
        result,
        left_out=data.left_out,
        read=data.warnings,
        overhead=trace_overhead(data),
        epochs=epoch_rows(data) or None,
        logged=logged_of(data),
        captures=capture_rows(data) or None,
    )
    warnings = [*data.warnings, *not_numbers(result.logged)]
    if not result.input_bound.known:
        warnings.append(f"input_bound: {NO_OPS}")
    result = replace(result, then=_next(data, result, shown))
    notes = [
        *([FRAGMENT.format("; ".join(result.missing))] if result.missing else []),
        *_of_files(data)[:1],
        *_left_out(result),
        *([_SEE_PYTHON] if is_mostly_outside(result) else []),
    ]
    return answered("steps", data, result, warnings, notes, recognised=recognised(data))


def _tagged(result: StepsResult, data: ProfileData) -> StepsResult:
    """With what the runs of sessions were logged as."""
    recorded = data.hosts.recorded
    tags = recorded.tags if recorded is not None else {}
    if not tags:
        return result
    return replace(
        result, steps=tuple(replace(row, tag=tags.get(row.step)) for row in result.steps)
    )


@remembered(lambda hosts: (tuple(hosts), ()))
def steps_of_hosts(hosts: Hosts) -> StepsPartial:
    """Of captures."""
    return hosts.on_one_clock.merged(STEPS.key, steps_of_host)


def _all_hosts(data: ProfileData) -> StepsPartial:
    check_events(data, _SHOWS)
    if data.hosts.captured:
        return steps_of_hosts(data.hosts)
    return merged(_of_space(rank, space) for rank, space in hosts_in_time(data, _SHOWS))


def steps_of_host(host: Host) -> StepsPartial:
    """Several questions ask for it while a host is there."""
    space = host.trace.space
    if space is None:
        return StepsPartial()
    known = space.found.get(("steps of host", host.rank))
    if known is None:
        known = space.found["steps of host", host.rank] = _of_space(host.rank, space)
    return cast("StepsPartial", known)


@remembered(lambda rank, space: ((space,), (rank,)))
def _of_space(rank: int, space: Space) -> StepsPartial:
    """Of a capture of several hosts, each."""
    return partial_of(breakdowns(space), ranked(rank, 0), tuple(missing_parts(space)))


STEPS = HostTask("steps", steps_of_host, together=True)
TASKS = (OWN_STEPS, STEPS)


def _named(partial: StepsPartial, device: str) -> HostBrief:
    """The host of the device, or the first."""
    named = (host for host in partial.hosts if device.startswith(f"/host:{host.host}/"))
    return next(named, partial.hosts[0])


def _whole(found: Breakdown, named: HostBrief) -> HostSteps:
    """All that a host tells of which only the rows were kept."""
    whole = host_steps(found, named.rank)
    return of_fragment(whole, named.missing) if named.missing else whole


def _with_events(data: ProfileData, shown: HostBrief) -> Breakdown:
    """One host with its events, which is read for them."""
    others = {host.rank for host in data.hosts} - {file_of(shown.rank)}
    alone = replace(data, hosts=data.hosts.on_one_clock.without(others))
    for rank, space in hosts_in_time(alone, _SHOWS):
        for at, one in enumerate(breakdowns(space)):
            if ranked(rank, at) == shown.rank:
                return one
    raise InputMissing("the host is not there any more", where=shown.host)


def partial_of(
    hosts: Iterable[Breakdown], first: int = 0, missing: tuple[str, ...] = ()
) -> StepsPartial:
    """`first` is the rank of the first of them, `missing` what their capture has not."""
    found = (host_steps(one, rank) for rank, one in enumerate(hosts, first))
    return StepsPartial.of(of_fragment(one, missing) if missing else one for one in found)


def _without_steps(data: ProfileData) -> Answered[StepsResult | NoSteps]:
    nothing = NoSteps(
        (), None, None, Quantity.unknown(NO_STEPS), None, (),
        epoch_rows(data) or None, logged_of(data), capture_rows(data) or None,
    )  # fmt: skip
    warnings = [*data.warnings, NO_STEPS]
    said = [*warnings, _MARK]
    return answered("steps", data, nothing, warnings, said, recognised=recognised(data))


def _with_one(found: Breakdown, host: HostSteps, device: str) -> Breakdown:
    short = short_names([*(one.name for one in host.devices), *host.unused])
    for name in found.devices:
        if device in (name, short[name], f"/host:{host.host}{short[name]}"):
            return found.with_only(name)
    known = ", ".join(sorted(short[name] for name in found.devices))
    hint = f"There are {known}." if known else "Nothing but the CPU was recorded."
    raise UsageError(f"--device {device!r} is none of the devices", hint=hint)


def _looked_at(
    result: StepsResult, found: Breakdown | None, category: Category | None
) -> StepsResult:
    """With the events of what is asked for, which only the capture has."""
    asked = result.asked
    if found is None or asked.look not in _OF_EVENTS:
        return result
    windows = found.steps.windows
    chosen = windows[found.averaged] if asked.step is None else [_window(windows, asked.step)]
    if category is not None:
        one = _slice(found, category, chosen)
        return replace(result, events=one.events, asked=replace(asked, slices=(one,)))
    (step,) = (row for row in result.steps if row.step == asked.step)
    largest = sorted(step.breakdown, key=lambda category: -step.breakdown[category])
    slices = tuple(_slice(found, category, chosen) for category in largest[:_SLICES_SHOWN])
    return replace(result, asked=replace(asked, slices=slices))


def _window(windows: Sequence[StepWindow], number: int) -> StepWindow:
    for window in windows:
        if window.number == number:
            return window
    raise UsageError(
        f"there is no step {number}",
        hint=f"Steps are {windows[0].number} to {windows[-1].number}.",
    )


def _slice(found: Breakdown, category: Category, windows: Sequence[StepWindow]) -> CategorySlice:
    behind: list[Behind] = events_behind(found, category, windows)
    return CategorySlice(category, tuple(window.number for window in windows), tuple(behind))


def _of_files(data: ProfileData) -> list[str]:
    """Who is left out stands in a table."""
    left_out = {str(one) for one in data.left_out}
    return [text for text in data.warnings if text not in left_out]


def _left_out(result: StepsResult) -> Iterator[str]:
    for one in result.dropped:
        yield f"Not counted: {one.what} ({one.why})."
    if result.average.steps < len(result.steps):
        yield (
            f"Averages are of {result.average.steps} steps: the profiler starts in the first, and "
            "the last has no known period."
        )


def _busy_share(result: StepsResult) -> float:
    """How much of the time the busiest device worked; without any, the ops on the host."""
    busy = [one.busy for one in result.devices] or [result.host.model_ops]
    return max((share for share in busy if share is not None), default=0.0)


def _about_slow(path: str, result: StepsResult) -> str:
    if any(one.kind == "host" for one in result.stragglers):
        return f"`tfprof steps {path} --hosts` shows who is waited for, and when"
    return f"`tfprof steps {path} --step {result.slow_steps[0].step}` shows a slow step"


def _next(data: ProfileData, result: StepsResult, shown: HostSteps) -> str:
    """The input where it is waited for; of the infeed of a device no more is known."""
    path = shell_path(data.title)
    if not shown.ops_recorded:
        return f"`tfprof timeline {path}` shows what ran when"
    if result.verdict.name is Bound.COPIES:
        return f"`tfprof layers {path} --by op` shows which copies are waited for"
    if shown.reads_tf_data and is_input_bound(shown.input_share):
        return f"`tfprof input {path}` shows which stage is slow"
    if any(one.kind == "host" for one in result.stragglers) or result.slow_steps:
        return _about_slow(path, result)
    if result.gaps and _busy_share(result) < _MOSTLY:
        return f"`tfprof steps {path} --gaps` shows what the host did while nothing ran"
    return f"`tfprof layers {path} --by op` shows which ops take the time"
