"""The answer about steps on a screen: facts, bars and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tfprof.model import units
from tfprof.model.units import as_micros
from tfprof.reports.shared.input_bound import REST, bound_text
from tfprof.reports.shared.logged_run import logged_facts
from tfprof.reports.shared.recorded_run import overhead_text
from tfprof.reports.steps.overlap_words import devices_table, gaps_table, overlap_facts
from tfprof.reports.steps.slow_words import slow_notes, slow_texts
from tfprof.reports.steps.whole_run import captures_table, epochs_table
from tfprof.results.answered import Answered
from tfprof.results.categories import Category
from tfprof.results.steps import CategorySlice, Look, NoSteps, Periods, StepRow, StepsResult
from tfprof.views.shapes import (
    Bar,
    Bars,
    Column,
    Facts,
    Fold,
    Notes,
    Part,
    PartKind,
    Report,
    Table,
    Unit,
    Value,
    without_empty,
)

_TIMES = 2
_BESIDE = "; --hosts shows them beside each other"
_HOSTS_SHOWN = 16
_EVENTS_SHOWN, _EVENTS_A_SLICE = 15, 4


def view(answered: Answered[StepsResult | NoSteps]) -> Report:
    found = answered.data
    parts = _whole_run(found) if isinstance(found, NoSteps) else _PARTS[found.asked.look](found)
    return Report(*answered.subject.lines, without_empty([*parts, Notes(answered.notes)]))


def _all_steps(found: StepsResult) -> list[Part]:
    several = len(found.devices) > 1 and not found.asked.alone
    # what to do next stands above the bars: a screen of 24 lines ends within them
    then = [("Next", found.then)] if found.then and not found.asked.alone else []
    return [
        Facts([*_facts(found), *then]),
        _bars(found),
        _average_table(found),
        *([devices_table(found)] if several else []),
        *([_hosts_table(found)] if len(found.hosts) > 1 else []),
        *([_left_out_table(found)] if found.left_out else []),
        *_whole_run(found),
    ]


def _whole_run(found: StepsResult | NoSteps) -> list[Part]:
    """What the program itself and its recorder tell of more than the captured steps."""
    return [
        *([captures_table(found.captures)] if found.captures else []),
        *([epochs_table(found.epochs)] if found.epochs else []),
        *([Facts(logged_facts(found.logged))] if found.logged is not None else []),
    ]


def _gaps(found: StepsResult) -> list[Part]:
    return [Facts(_facts(found)), gaps_table(found)]


def _hosts(found: StepsResult) -> list[Part]:
    from tfprof.reports.steps.hosts_view import hosts_parts

    left_out = [_left_out_table(found)] if found.left_out else []
    return [*hosts_parts(found), *left_out]


def _events(found: StepsResult) -> list[Part]:
    (one,) = found.asked.slices
    where = f"step {one.steps[0]}" if len(one.steps) == 1 else f"{len(one.steps)} steps"
    shown = ("Shown", f"{one.category.label}: {one.category.meaning}")
    table = _behind_table(one, _EVENTS_SHOWN, f"Behind it in {where}")
    return [Facts([*_facts(found), shown]), table]


def _one_step(found: StepsResult) -> list[Part]:
    step = next(row for row in found.steps if row.step == found.asked.step)
    slow = slow_texts([one for one in found.slow_steps if one.step == step.step])
    said = [("Shown", _one_step_text(found, step)), *(("Slow", text) for text in slow)]
    return [
        Facts([*_facts(found), *said]),
        _one_step_table(found, step),
        *(
            _behind_table(one, _EVENTS_A_SLICE, f"Behind {one.category.label}")
            for one in found.asked.slices
        ),
    ]


_PARTS = {
    Look.ALL: _all_steps,
    Look.STEP: _one_step,
    Look.EVENTS: _events,
    Look.GAPS: _gaps,
    Look.HOSTS: _hosts,
}


def _facts(found: StepsResult) -> list[tuple[str, str]]:
    steps, hosts = found.steps, found.hosts
    which = "one" if len(steps) == 1 else str(len(steps))
    if len(steps) > 1:
        which += f", numbered {steps[0].step} to {steps[-1].step}"
    which += _tags_text(steps)
    host = [("Host", f"{hosts[0].host}, of {len(hosts)}{_BESIDE}")] if len(hosts) > 1 else []
    return [
        *host,
        ("Steps", f"{which}: {found.marked_by}"),
        ("Period", _periods_text(found.period)),
        *([("Tracing", overhead_text(found.overhead))] if found.overhead is not None else []),
        ("Input", input_verdict(found)),
        *overlap_facts(found),
    ]


def _tags_text(steps: Sequence[StepRow]) -> str:
    tags = [row.tag for row in steps if row.tag]
    if not tags:
        return ""
    return f", tagged {tags[0]}" + (f" to {tags[-1]}" if len(tags) > 1 else "")


def _periods_text(found: Periods) -> str:
    if found.known == 1:
        return units.duration(found.median_us)
    return (
        f"{median_text(found)}, mean {units.duration(found.mean_us)}, "
        f"{units.duration(found.min_us)} to {units.duration(found.max_us)}"
    )


def median_text(found: Periods) -> str:
    """With the median of how far steps are off it."""
    spread = units.duration(found.median_deviation_us)
    return f"median {units.duration(found.median_us)} ± {spread}"


def input_verdict(found: StepsResult) -> str:
    """How much of a step waits, and what to call that."""
    share = found.input_bound.number
    if share is None:
        return f"? {found.input_bound.reason}"
    bound = bound_text(found.average.breakdown, share)
    return f"{units.share(share, 1)} of a step waits for input: {bound}"


def _average_table(found: StepsResult) -> Table:
    """Where the time of an average step goes; how long each went on beside others, too."""
    average = found.average
    whole = math.fsum(average.breakdown.values())
    columns = [
        Column("category", "an average step"),
        Column("time_us", "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
        Column("gross_us", "with overlaps", Unit.MICROS),
        Column("events", "events", Unit.COUNT),
    ]
    rows: list[list[Value]] = []
    for category, time in sorted(average.breakdown.items(), key=lambda item: -item[1]):
        gross, rest = average.with_overlaps[category], category in REST
        beside: list[Value] = (
            ["", ""] if rest else [as_micros(gross), round(average.events[category])]
        )
        if time or (gross and not rest):
            rows.append([category.label, as_micros(time), time / whole if whole else 0.0, *beside])
    return Table(columns, rows)


def _bars(found: StepsResult) -> Bars:
    """A bar a step."""
    kinds = kinds_of(found)
    notes = slow_notes(found.slow_steps)
    columns = [
        Column("step", "step", Unit.COUNT),
        Column("period_us", "period", Unit.MICROS),
        *(Column(kind.value, kind.label, Unit.MICROS) for kind in kinds),
    ]
    rows, table = [], []
    for one in found.steps:
        parts = [as_micros(one.breakdown[kind]) for kind in kinds]
        rows.append(Bar(str(one.step), parts, notes.get(one.step, "")))
        table.append([one.step, as_micros(one.period), *parts])
    drawn = [PartKind(kind.value, kind.label) for kind in kinds]
    return Bars("Each step", "step", drawn, rows, Table(columns, table))


def kinds_of(found: StepsResult) -> list[Category]:
    """The categories that any step has."""
    return [one for one in Category if any(step.breakdown[one] for step in found.steps)]


def _one_step_text(found: StepsResult, step: StepRow) -> str:
    usual = found.hosts[0].median
    text = f"step {step.step}: {units.duration_ps(step.period)}"
    if usual and len(found.steps) > 1:
        times = step.period / usual
        side = "above" if times >= 1 else "below"
        text += f", {times:.1f}x" if times >= _TIMES else f", {abs(times - 1):.1%} {side}"
        text += " the median"
    return text


def _one_step_table(found: StepsResult, step: StepRow) -> Table:
    """A step beside the median of all of them."""
    from statistics import median  # loads fractions and decimals: where one step is asked for

    columns = [
        Column("category", f"step {step.step}"),
        Column("time_us", "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
        Column("median_us", "median of steps", Unit.MICROS),
    ]
    times = {category: as_micros(time) for category, time in step.breakdown.items()}
    whole = float(np.sum(list(times.values())))
    rows: list[list[Value]] = []
    for category, time in times.items():
        usual = as_micros(median(one.breakdown[category] for one in found.steps))
        if time or usual:
            rows.append([category.label, time, time / whole if whole else 0.0, usual])
    return Table(columns, rows)


def _behind_table(one: CategorySlice, shown: int, title: str) -> Table:
    """Times are of one step."""
    whole = sum(behind.self_ps for behind in one.events)
    steps = len(one.steps)
    columns = [
        Column("event", "event"),
        Column("count", "events", Unit.COUNT),
        Column("self_us", "time a step" if steps > 1 else "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
        Column("longest_us", "longest", Unit.MICROS),
    ]
    rows: list[list[Value]] = [
        [
            behind.name,
            behind.count,
            as_micros(behind.self_ps) / max(1, steps),
            behind.self_ps / whole if whole else 0.0,
            as_micros(behind.longest_ps),
        ]
        for behind in one.events
    ]
    return Table(columns, rows, title, fold=Fold(shown, "share", 1.0 if whole else 0.0))


def _hosts_table(found: StepsResult) -> Table:
    columns = [
        Column("host", "host"),
        Column("steps", "steps", Unit.COUNT),
        Column("median_us", "median period", Unit.MICROS),
        Column("input_bound", "waits for input", Unit.SHARE),
    ]
    rows: list[list[Value]] = [
        [one.host, one.steps, as_micros(one.median), one.input_bound] for one in found.hosts
    ]
    if any(one.devices for one in found.hosts):
        columns += [
            Column("busy_us", "computes", Unit.MICROS),
            Column("exposed_us", "comms", Unit.MICROS),
            Column("idle_us", "idle", Unit.MICROS),
        ]
        for row, one in zip(rows, found.hosts, strict=True):
            row += [_micros(time) for time in (one.busy_mean, one.exposed, one.idle)]
    return Table(columns, rows, fold=Fold(_HOSTS_SHOWN))


def _left_out_table(found: StepsResult) -> Table:
    columns = [Column("host", "left out"), Column("why", "why")]
    rows: list[list[Value]] = [[one.host, one.why] for one in found.left_out]
    return Table(columns, rows, fold=Fold(_HOSTS_SHOWN))


def _micros(time: float | None) -> Value:
    return "" if time is None else as_micros(time)
