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
    parts = [
        _on_screen(one) if isinstance(one, Table) else one
        for one in report.parts
        if not isinstance(one, Table) or one.on_screen
    ]
    report = replace(report, parts=parts)
    if report.screen is None:
        return report
    facts = next((part for part in report.parts if isinstance(part, Facts)), Facts([]))
    notes = next((part for part in report.parts if isinstance(part, Notes)), Notes([]))
    tables = [part for part in report.parts if isinstance(part, Table)]
    facts, notes = _given_way(report.subtitle, facts, notes, report.screen)
    room = _room(report.subtitle, facts, notes) - report.screen.spare
    cut: list[Part] = [facts, *_cut(tables, room), notes]
    kept = [one for one in cut if (one.lines if isinstance(one, Notes) else one.rows)]
    return replace(report, parts=kept)


def _on_screen(table: Table) -> Table:
    shown = [at for at, column in enumerate(table.columns) if column.on_screen]
    if len(shown) == len(table.columns):
        return table
    rows = [[row[at] for at in shown] for row in table.rows]
    return replace(table, columns=[table.columns[at] for at in shown], rows=rows)


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
    """As many of the first as have room for a few rows each; the last ones go first."""
    if not tables or room - _TABLE_FRAME < 1:
        return []
    if len(tables) > 1 and room < sum(map(_least, tables)):
        return _cut(tables[:-1], room)
    wanted = [len(table.rows) for table in tables]
    shares = _shared(wanted, room - len(tables) * (_TABLE_FRAME - 1))
    # what is folded needs a line to say so
    lines = [share - (share < all_) for share, all_ in zip(shares, wanted, strict=True)]
    return [_with_notes(table, count) for table, count in zip(tables, lines, strict=True)]


def _least(table: Table) -> int:
    """The lines of a few rows; one that is shown whole needs none to say what is folded."""
    return min(len(table.rows), _LEAST_ROWS) + _TABLE_FRAME - (len(table.rows) <= _LEAST_ROWS)


def _shared(wanted: list[int], room: int) -> list[int]:
    """Each table as many rows as it has, if all can; else what one does not need is the others'."""
    given = [0] * len(wanted)
    hungry = [*range(len(wanted))]
    while room > 0 and hungry:
        each = max(1, room // len(hungry))
        for at in [*hungry]:
            more = min(each, wanted[at] - given[at], room)
            given[at] += more
            room -= more
        hungry = [at for at in hungry if given[at] < wanted[at]]
    return given


def _with_notes(table: Table, lines: int) -> Table:
    """As many rows as leave room for what their marks mean."""
    cut = replace(table, fold=replace(table.fold or Fold(0), show=lines))
    notes = sum(len(textwrap.wrap(note, SCREEN_WIDTH)) for note in footnotes(cut))
    return replace(cut, fold=replace(cut.fold or Fold(0), show=max(1, lines - notes)))
