"""The step time of runs over time, a panel for each kind of work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfprof.errors import InputMissing
from tfprof.model import units
from tfprof.reports.log.view import change_told, short_paths, verdict
from tfprof.results.answered import Answered
from tfprof.results.log import LogResult, RunRow, WorkRow
from tfprof.views.chart import HistoryChart, HistoryPanel, RunPoint

_PANELS = 4
_TOLD = ("parameters", "FLOPs", "batch", "devices")


def picture(answered: Answered[LogResult]) -> HistoryChart:
    found = answered.data
    paths = [row.path for row in found.runs]
    names = dict(zip(paths, short_paths(paths), strict=True))
    timed = [row for row in reversed(found.runs) if row.step_us.number is not None and row.work]
    if not timed:
        raise InputMissing(
            "no run has steps: the picture is of their time",
            where=answered.subject.title,
            hint="`tfprof log` lists what is known of the runs.",
        )
    by_work: dict[int, list[RunRow]] = {}
    for row in timed:
        by_work.setdefault(row.work or 0, []).append(row)
    shown = _shown(by_work)
    works = {one.work: one for one in found.works}
    panels = [
        HistoryPanel(_title(works[work], len(by_work[work])),
                     [_point(row, names[row.path]) for row in by_work[work]])
        for work in shown
    ]  # fmt: skip
    return HistoryChart(
        f"Step time of runs: {answered.subject.title}",
        _subtitle(timed),
        panels,
        (*_left_out(by_work, shown), *answered.notes),
    )


def _shown(by_work: Mapping[int, Sequence[RunRow]]) -> list[int]:
    """Those with most runs; a single dot is no history, if there are others."""
    ranked = sorted(by_work, key=lambda work: -len(by_work[work]))[:_PANELS]
    several = [work for work in ranked if len(by_work[work]) > 1]
    return several or ranked


def _title(work: WorkRow, runs: int) -> str:
    words = {"parameters": "parameters", "FLOPs": "FLOPs"}
    said = []
    for what in _TOLD:
        if what in work.facts:
            text = work.facts[what]
            said.append(f"{text} {words[what]}" if what in words else
                        f"batch {text}" if what == "batch" else text)  # fmt: skip
    return " · ".join([f"work {work.work}", units.plural(runs, "run"), *said])


def _subtitle(rows: Sequence[RunRow]) -> str:
    slower, faster = sum(row.is_slower for row in rows), sum(row.is_faster for row in rows)
    said = [units.plural(len(rows), "run")]
    said += [f"{slower:,} slower than before"] if slower else []
    said += [f"{faster:,} faster"] if faster else []
    return ", ".join(said) + "; bands are where the runs before said the next would lie"


def _point(row: RunRow, name: str) -> RunPoint:
    when = "?" if row.when is None else row.when[:10]
    said = [name, row.when or "", units.duration(row.step_us.number or 0.0)]
    if row.change is not None:
        said.append(f"{verdict(row)}: {change_told(row)}")
    return RunPoint(
        when,
        row.step_us.number or 0.0,
        "\n".join(one for one in said if one),
        _expected(row),
        units.signed_share(row.change) if row.significant and row.change is not None else "",
        row.is_slower,
    )


def _expected(row: RunRow) -> tuple[float, float] | None:
    if row.interval is None or row.before_us is None:
        return None
    half = (row.interval[1] - row.interval[0]) / 2
    return max(0.0, row.before_us * (1 - half)), row.before_us * (1 + half)


def _left_out(by_work: Mapping[int, Sequence[RunRow]], shown: Sequence[int]) -> list[str]:
    left = [work for work in by_work if work not in shown]
    runs = sum(len(by_work[work]) for work in left)
    return [f"{units.plural(runs, 'run')} of other work not drawn."] if left else []
