"""Known runs in the order of time, compared with those before: the answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from tfprof.analyses.comparison.history import Compared, compared
from tfprof.analyses.comparison.noise import Judged
from tfprof.model import units
from tfprof.model.known_run import NOTHING, KnownRun, TimeSource
from tfprof.model.quantity import Quantity
from tfprof.printable import place
from tfprof.reports.diff.timed import share_text
from tfprof.reports.log.query import Query
from tfprof.reports.log.works import Placed, placed
from tfprof.results.answered import SCHEMA, Answered, Subject, Used
from tfprof.results.log import FIRST, IndexUse, LogResult, RunRow, WorkRow

_METRICS = {"params": "parameters", "flops": "FLOPs", "step_us": "step time",
            "input_bound": "input share", "peak_bytes": "peak memory"}  # fmt: skip
# from so many comparisons on, chance is worth a word
_MANY = 20
# runs without all of their hosts that a screen names
_HOSTS_TOLD = 3
# runs before one that tell how far runs differ
_TELL_NOISE = 3
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def history(
    title: str,
    runs: Sequence[KnownRun],
    query: Query,
    index: IndexUse,
    warnings: Sequence[str] = (),
) -> Answered[LogResult]:
    """All runs are compared; those that are asked for are told."""
    ordered = sorted(runs, key=lambda run: (_at(run), run.path))
    works = placed(ordered)
    judged = _judged(ordered, works, query)
    rows = [
        _row(run, where, judged.get(at), ordered)
        for at, (run, where) in enumerate(zip(ordered, works, strict=True))
    ]
    asked = _asked(ordered, rows, query)
    told = [one for one in judged.values() if one.judged is not None]
    result = LogResult(
        tuple(reversed(asked)),
        tuple(one for one in _works(ordered, works) if one.work in {row.work for row in asked}),
        index,
        len(rows) - len(asked),
        _noise(told, query),
    )
    used = tuple(Used(place(run.path), run.kind) for run in ordered if run.kind != NOTHING)
    unknown = tuple(_why_null(asked))
    notes = (*warnings, *_notes(result, told))
    hosts = [*_left_out(ordered, asked)]
    shown = (*notes, *hosts[:_HOSTS_TOLD], *_more(len(hosts) - _HOSTS_TOLD))
    return Answered(SCHEMA, "log", used, (*notes, *hosts, *unknown), result, Subject(title), shown)


def _left_out(runs: Sequence[KnownRun], asked: Sequence[RunRow]) -> Iterator[str]:
    """A line for each run that was not read of all its hosts, the newest first."""
    told = {row.path for row in asked}
    for run in reversed(runs):
        if run.left_out and run.path in told:
            yield f"{place(run.path)}: {'; '.join(map(str, run.left_out))}"


def _more(runs: int) -> Iterator[str]:
    if runs > 0:
        yield f"{units.plural(runs, 'more run')} without all hosts: --json names them."


def _at(run: KnownRun) -> datetime:
    return run.moment.at if run.moment is not None else _LONG_AGO


def _judged(runs: Sequence[KnownRun], works: Sequence[Placed], query: Query) -> dict[int, Compared]:
    """By the place of the run: with those of its work before it."""
    by_work: dict[int, list[int]] = {}
    for at, where in enumerate(works):
        if where.work is not None:
            by_work.setdefault(where.work, []).append(at)
    found: dict[int, Compared] = {}
    for places in by_work.values():
        periods = [np.array(runs[at].periods_us, np.float64) for at in places]
        for at, one in zip(places, compared(periods, query.run_noise), strict=True):
            there = tuple(places[other] for other in one.with_)
            found[at] = replace(one, with_=there)
    return found


def _row(run: KnownRun, where: Placed, one: Compared | None, runs: Sequence[KnownRun]) -> RunRow:
    told = one.judged if one is not None else None
    before = told.before if told is not None else 0.0
    moment = run.moment
    return RunRow(
        place(run.path),
        None if moment is None else _iso(moment.at),
        None if moment is None else moment.source.value,
        run.kind,
        where.work,
        _told(run, run.params),
        _told(run, run.flops),
        _told(run, run.step_us),
        len(run.periods_us),
        _told(run, run.input_bound),
        _told(run, run.peak_bytes),
        told.change / before if told is not None and before else None,
        _significant(told),
        _interval(told),
        before or None,
        len(one.with_) if one is not None else 0,
        _because(run, told, one, runs),
        run.state,
        run.why or _why(one),
        run.why is not None,
    )  # fmt: skip


def _told(run: KnownRun, quantity: Quantity) -> Quantity:
    """Why a run cannot be read is said once."""
    return quantity if run.why is None else Quantity.unknown("the run could not be read")


def _why(one: Compared | None) -> str | None:
    """Why nothing is said of a change."""
    if one is None or (one.judged is not None and not one.judged.reason):
        return None
    return one.judged.reason if one.judged is not None else one.reason or FIRST


def _significant(told: Judged | None) -> bool | None:
    return None if told is None or told.reason else told.significant


def _interval(told: Judged | None) -> tuple[float, float] | None:
    if told is None or told.low is None or told.high is None or not told.before:
        return None
    return told.low / told.before, told.high / told.before


def _because(
    run: KnownRun, told: Judged | None, one: Compared | None, runs: Sequence[KnownRun]
) -> Mapping[str, float] | None:
    """Of a change: an average step, less that of the last run before; the most first."""
    if told is None or one is None or not told.significant or not run.breakdown_us:
        return None
    before = runs[one.with_[-1]].breakdown_us
    moved = {
        key: run.breakdown_us.get(key, 0.0) - before.get(key, 0.0)
        for key in dict.fromkeys((*run.breakdown_us, *before))
    }
    ranked = sorted(moved.items(), key=lambda pair: -abs(pair[1]))
    return {key: value for key, value in ranked if value}


def _asked(runs: Sequence[KnownRun], rows: Sequence[RunRow], query: Query) -> list[RunRow]:
    since = query.since
    found = [
        row
        for run, row in zip(runs, rows, strict=True)
        if since is None or (run.moment is not None and run.moment.at >= since)
    ]
    return found if query.last is None else found[len(found) - min(query.last, len(found)) :]


def _works(runs: Sequence[KnownRun], works: Sequence[Placed]) -> Iterator[WorkRow]:
    count = Counter(one.work for one in works if one.work is not None)
    newest = {one.work: run for run, one in zip(runs, works, strict=True)}
    differs = {one.work: one.differs for one in works if one.differs}
    for work in sorted(count):
        facts = {what: fact.text for what, fact in newest[work].facts.items()}
        yield WorkRow(work, count[work], facts, differs.get(work))


def _noise(told: Sequence[Compared], query: Query) -> str | None:
    if not told:
        return None
    stated = sum(one.is_stated for one in told)
    taken = f"{share_text(query.run_noise)} is taken (--run-noise)"
    if stated == len(told):
        return f"fewer than {_TELL_NOISE} runs before tell no noise: {taken}"
    if not stated:
        return "the noise of a run is that between the runs before"
    return (
        f"the noise of a run is that between the runs before; where there are fewer than "
        f"{_TELL_NOISE}, {taken}"
    )


def _notes(result: LogResult, told: Sequence[Compared]) -> Iterator[str]:
    unread = sum(row.unread for row in result.runs)
    if unread:
        yield f"{units.plural(unread, 'run')} could not be read."
    if result.noise is not None:
        yield f"Times: {result.noise}."
    if len(told) >= _MANY:
        by_chance = math.ceil(sum(one.alpha for one in told))
        said = f"up to {by_chance:,} of them may look changed by chance"
        yield f"{len(told):,} runs were compared with those before: {said}."
    by_file = sum(row.when_from == TimeSource.FILE.value for row in result.runs)
    if by_file:
        whose = "its file" if by_file == 1 else "their files"
        yield f"The time of {units.plural(by_file, 'run')} is that of {whose}."
    unknown = sum(row.when is None for row in result.runs)
    if unknown:
        last = "it stands" if unknown == 1 else "they stand"
        yield f"Nothing tells when {units.plural(unknown, 'run')} took place: {last} last."


def _why_null(rows: Sequence[RunRow]) -> Iterator[str]:
    """Each reason once, however many runs it is of."""
    for key, name in _METRICS.items():
        reasons: Counter[str] = Counter()
        for row in rows:
            value: Quantity = getattr(row, key)
            if not row.unread and not value.known:
                reasons[value.reason] += 1
        for reason, count in reasons.items():
            yield f"{name} of {units.plural(count, 'run')} not known: {reason}"
    for reason, count in Counter(row.why for row in rows if row.why and not row.unread).items():
        yield f"{units.plural(count, 'run')} not compared: {reason}"


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
