"""A report cut to one screen: facts and notes as they are, tables to the room that is left."""

from __future__ import annotations

import textwrap
from dataclasses import replace

from tfprof.renderers.text.footnotes import footnotes
from tfprof.renderers.text.readable import readable
from tfprof.renderers.text.wrapped import SCREEN_LINES, SCREEN_WIDTH, fact_lines, note_lines
from tfprof.views.shapes import Facts, Fold, Notes, OneScreen, Part, Report, Table

_LEAST_ROWS = 2
# blank line, heading, and the line that folds the rest
_TABLE_FRAME = 3


def fitted(report: Report) -> Report:
    """What a screen needs of it, in words that can be shown; whole, unless it asks to fit."""
    report = readable(report)
    parts = [one for one in report.parts if not isinstance(one, Table) or one.on_screen]
    report = replace(report, parts=parts)
    if report.screen is None:
        return report
    facts = next((part for part in report.parts if isinstance(part, Facts)), Facts([]))
    notes = next((part for part in report.parts if isinstance(part, Notes)), Notes([]))
    tables = [part for part in report.parts if isinstance(part, Table)]
    facts, notes = _given_way(report.subtitle, facts, notes, report.screen)
    room = _room(report.subtitle, facts, notes)
    cut: list[Part] = [facts, *_cut(tables, room), notes]
    kept = [one for one in cut if (one.lines if isinstance(one, Notes) else one.rows)]
    return replace(report, parts=kept)


def _given_way(subtitle: str, facts: Facts, notes: Notes, screen: OneScreen) -> tuple[Facts, Notes]:
    """Where the cost sits comes before what could be added; warnings stay."""
    notes = Notes(notes.lines[: notes.show])
    while len(notes.lines) > screen.kept_notes and _room(subtitle, facts, notes) <= _TABLE_FRAME:
        notes = Notes(notes.lines[:-1])
    for label in screen.says_least:
        if _room(subtitle, facts, notes) < _TABLE_FRAME + _LEAST_ROWS:
            facts = Facts([row for row in facts.rows if row[0] != label])
    return facts, notes


def _room(subtitle: str, facts: Facts, notes: Notes) -> int:
    """The lines of one screen that are left for tables."""
    taken = 1 + len(textwrap.wrap(subtitle, SCREEN_WIDTH))
    for lines in (fact_lines(facts, SCREEN_WIDTH), note_lines(notes, SCREEN_WIDTH)):
        taken += len(lines) + 1 if lines else 0
    return SCREEN_LINES - taken


def _cut(tables: list[Table], room: int) -> list[Table]:
    """All of them if each has room for a few rows, else the first alone."""
    if not tables or room - _TABLE_FRAME < 1:
        return []
    rows = room - len(tables) * _TABLE_FRAME
    if len(tables) > 1 and rows < len(tables) * _LEAST_ROWS:
        return _cut(tables[:1], room)
    shares = [rows // len(tables)] * len(tables)
    shares[0] = rows - sum(shares[1:])
    return [_with_notes(table, share) for table, share in zip(tables, shares, strict=True)]


def _with_notes(table: Table, lines: int) -> Table:
    """As many rows as leave room for what their marks mean."""
    cut = replace(table, fold=replace(table.fold or Fold(0), show=lines))
    notes = sum(len(textwrap.wrap(note, SCREEN_WIDTH)) for note in footnotes(cut))
    return replace(cut, fold=replace(cut.fold or Fold(0), show=max(1, lines - notes)))
