"""Pieces of the answer about steps: sentences, tables, bars, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tfprof.analyses.input_pipeline.limits import MATTERS
from tfprof.analyses.step_time.breakdown import Breakdown
from tfprof.analyses.step_time.categories import Category
from tfprof.analyses.step_time.codes import CATEGORIES
from tfprof.analyses.step_time.evidence import Behind
from tfprof.analyses.steps.windows import StepWindow
from tfprof.answers.common import folded
from tfprof.answers.input_bound import input_bound
from tfprof.model import units
from tfprof.views.shapes import Bar, Bars, Column, Kind, Table, Unit, Value

NO_STEPS = (
    "no steps were found: no event has a step_num, no function is called again and again, "
    "no dataset is read"
)
NO_OPS = "neither ops nor waits were recorded: they are from host_tracer_level 2 on"
PS = 1_000_000  # picoseconds of a microsecond
_SLICES = 3
_TIMES = 2
_UNEXPLAINED = 0.03
# there are no events behind these two
_REST = (Category.OTHER, Category.IDLE)


def periods_text(found: Breakdown) -> str:
    known = found.known_periods / PS
    if len(known) == 1:
        return units.duration(float(known[0]))
    return (
        f"{median_text(found)}, mean {units.duration(float(known.mean()))}, "
        f"{units.duration(float(known.min()))} to {units.duration(float(known.max()))}"
    )


def median_text(found: Breakdown) -> str:
    """With the median of how far steps are off it."""
    known = found.known_periods / PS
    spread = float(np.median(np.abs(known - np.median(known))))
    return f"median {units.duration(float(np.median(known)))} ± {units.duration(spread)}"


def step_text(found: Breakdown) -> str:
    """An average step in a line: its largest slices, and whether it waits for input."""
    average = found.average()
    whole = sum(average.values())
    largest = sorted(average.items(), key=lambda item: -item[1])[:_SLICES]
    slices = [f"{units.share(time, whole)} {one.label}" for one, time in largest if time]
    return f"{', '.join(slices)}: {_bound(found)}"


def input_verdict(found: Breakdown) -> str:
    """How much of a step waits, and what to call that."""
    share = found.input_share
    if share is None:
        return f"? {NO_OPS}"
    return f"{units.share(share, 1)} of a step waits for input: {_bound(found)}"


def _bound(found: Breakdown) -> str:
    share = found.input_share
    if share is None:
        return NO_OPS
    average = found.average()
    dark = sum(average[category] for category in _REST)
    if share < MATTERS and dark >= _UNEXPLAINED * sum(average.values()):
        return f"{input_bound(share)}, as far as it was recorded"
    return input_bound(share)


def is_input_bound(found: Breakdown) -> bool:
    return (found.input_share or 0.0) >= MATTERS


def average_table(found: Breakdown) -> Table:
    """Where the time of an average step goes; how long each went on beside others, too."""
    average, gross, count = (found.average_of(m) for m in (found.time, found.gross, found.count))
    whole = sum(average.values())
    columns = [
        Column("category", "an average step"),
        Column("time_us", "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
        Column("gross_us", "with overlaps", Unit.MICROS),
        Column("events", "events", Unit.COUNT),
    ]
    rows: list[list[Value]] = []
    for category, time in sorted(average.items(), key=lambda item: -item[1]):
        beside: list[Value] = [gross[category] / PS, round(count[category])]
        if category in _REST:
            beside = ["", ""]
        if time or (gross[category] and category not in _REST):
            rows.append([category.label, time / PS, time / whole if whole else 0.0, *beside])
    return Table(columns, rows)


def bars(found: Breakdown, notes: Mapping[int, str]) -> Bars:
    """A bar a step; `notes` are by step."""
    used = [place for place in range(len(CATEGORIES)) if found.time[:, place].any()]
    kinds = [Kind(CATEGORIES[place].value, CATEGORIES[place].label) for place in used]
    micros = found.time[:, used] / PS
    windows = found.steps.windows
    rows = [
        Bar(str(window.number), parts.tolist(), notes.get(window.number, ""))
        for window, parts in zip(windows, micros, strict=True)
    ]
    columns = [
        Column("step", "step", Unit.COUNT),
        Column("period_us", "period", Unit.MICROS),
        *(Column(kind.key, kind.label, Unit.MICROS) for kind in kinds),
    ]
    table = [
        [window.number, window.period / PS, *parts.tolist()]
        for window, parts in zip(windows, micros, strict=True)
    ]
    return Bars("Each step", "step", kinds, rows, Table(columns, table))


def one_step_text(found: Breakdown, window: StepWindow) -> str:
    usual = float(np.median(found.known_periods))
    text = f"step {window.number}: {units.duration(window.period / PS)}"
    if usual and len(found.steps.windows) > 1:
        times = window.period / usual
        side = "above" if times >= 1 else "below"
        text += f", {times:.1f}x" if times >= _TIMES else f", {abs(times - 1):.1%} {side}"
        text += " the median"
    return text


def one_step_table(found: Breakdown, window: StepWindow) -> Table:
    """A step beside the median of all of them."""
    times = found.time[found.steps.windows.index(window)] / PS
    usual = np.median(found.time, axis=0) / PS
    columns = [
        Column("category", f"step {window.number}"),
        Column("time_us", "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
        Column("median_us", "median of steps", Unit.MICROS),
    ]
    whole = float(times.sum())
    rows: list[list[Value]] = [
        [category.label, time, time / whole if whole else 0.0, median]
        for category, time, median in zip(CATEGORIES, times.tolist(), usual.tolist(), strict=True)
        if time or median
    ]
    return Table(columns, rows)


def behind_table(behind: Sequence[Behind], steps: int, shown: int, title: str) -> Table:
    """Times are of one step."""
    whole = sum(one.self_ps for one in behind)
    columns = [
        Column("event", "event"),
        Column("count", "events", Unit.COUNT),
        Column("self_us", "time a step" if steps > 1 else "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
        Column("longest_us", "longest", Unit.MICROS),
    ]
    rows: list[list[Value]] = [
        [
            one.name,
            one.count,
            one.self_ps / PS / max(1, steps),
            one.self_ps / whole if whole else 0.0,
            one.longest_ps / PS,
        ]
        for one in behind[:shown]
    ]
    rest = behind[shown:]
    more = folded(len(rest), units.share(sum(r.self_ps for r in rest), whole)) if rest else ""
    return Table(columns, rows, title, more)


def behind_data(behind: Sequence[Behind]) -> list[dict[str, Any]]:
    return [
        {
            "event": one.name,
            "count": one.count,
            "self_us": one.self_ps / PS,
            "longest_us": one.longest_ps / PS,
        }
        for one in behind
    ]


def steps_data(found: Breakdown) -> list[dict[str, Any]]:
    return [
        {
            "step": window.number,
            "period_us": window.period / PS,
            "marker_us": window.duration / PS,
            "breakdown": by_category(times),
        }
        for window, times in zip(found.steps.windows, found.time.tolist(), strict=True)
    ]


def by_category(picoseconds: Iterable[float]) -> dict[str, float]:
    return {
        category.value: time / PS for category, time in zip(CATEGORIES, picoseconds, strict=True)
    }


def hosts_table(hosts: Sequence[Breakdown]) -> Table:
    columns = [
        Column("host", "host"),
        Column("steps", "steps", Unit.COUNT),
        Column("median_us", "median period", Unit.MICROS),
        Column("input_bound", "waits for input", Unit.SHARE),
    ]
    rows: list[list[Value]] = [
        [one.host, len(one.time), float(np.median(one.known_periods)) / PS, one.input_share]
        for one in hosts
    ]
    return Table(columns, rows)


def hosts_data(hosts: Sequence[Breakdown]) -> list[dict[str, Any]]:
    return [
        {
            "host": one.host,
            "steps": len(one.time),
            "median_us": float(np.median(one.known_periods)) / PS,
            "input_bound": one.input_share,
            "breakdown": by_category(one.average().values()),
        }
        for one in hosts
    ]
