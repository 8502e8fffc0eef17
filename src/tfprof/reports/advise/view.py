"""Findings on a screen: what was found, what to change, what it gains."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.model import units
from tfprof.reports.advise.words import gain_text
from tfprof.results.advice import AdviseResult, Finding, sentence
from tfprof.results.answered import Answered
from tfprof.views.shapes import (
    Column,
    Facts,
    Notes,
    Part,
    Report,
    Table,
    Unit,
    Value,
    without_empty,
)

_NOTHING = "Nothing to change: none of {rules} rules found anything."


def view(answered: Answered[AdviseResult]) -> Report:
    found = answered.data
    parts: list[Part] = [Facts(list(_facts(number, one))) for number, one in _numbered(found)]
    notes = list(answered.notes)
    if not found.findings:
        notes.insert(0, _NOTHING.format(rules=found.rules))
    if found.hidden:
        notes.append(f"{units.plural(found.hidden, 'more finding')}: --all shows them.")
    if found.ignored:
        notes.append(f"Not asked: {', '.join(found.ignored)}.")
    table = _table(found)
    return Report(*answered.subject.lines, without_empty([*parts, table, Notes(notes)]))


def _numbered(found: AdviseResult) -> Iterator[tuple[int, Finding]]:
    return enumerate(found.findings, 1)


def _facts(number: int, one: Finding) -> Iterator[tuple[str, str]]:
    yield f"{number} {one.severity.value}", one.says
    for change in one.told.changes:
        yield "Change", sentence(change.advice)
    for line in (one.told.code or "").splitlines():
        yield "Code", line
    yield "Gain", gain_text(one)
    yield "Why", sentence(one.reason)
    yield (
        "Rule",
        f"{', '.join(one.told.rules)}; confidence {one.confidence.value}; {one.told.silence}",
    )


def _table(found: AdviseResult) -> Table:
    """For formats that read no facts."""
    columns = [
        Column("rule", "rule"),
        Column("severity", "severity"),
        Column("stage", "stage"),
        Column("metric", "metric"),
        Column("before", "before", Unit.NUMBER),
        Column("after", "after", Unit.NUMBER),
        Column("says", "found", Unit.PROSE),
        Column("advice", "change", Unit.PROSE),
    ]
    rows: list[list[Value]] = [
        [
            one.rule,
            one.severity.value,
            one.told.stage or "",
            one.gain.metric if one.gain is not None else "",
            one.gain.before if one.gain is not None else None,
            one.gain.after if one.gain is not None else None,
            one.says,
            one.told.advice,
        ]
        for one in found.findings
    ]
    return Table(columns, rows, on_screen=False)
