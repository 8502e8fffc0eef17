"""What was saved: the file that was written, and what is in it."""

from __future__ import annotations

from pathlib import Path

from tfprof.model import units
from tfprof.results.answered import SCHEMA, Answered, Subject, Used
from tfprof.results.saved import SavedPart, SaveResult
from tfprof.sources.find.saving import ToSave
from tfprof.views.shapes import (
    Column,
    Facts,
    Fold,
    Notes,
    Report,
    Table,
    Unit,
    Value,
    without_empty,
)

_SHOWN = 20


def saved_to(target: Path, saved: ToSave) -> Answered[SaveResult]:
    """When it is written."""
    manifest = saved.manifest
    parts = [SavedPart(str(target / one.name), one.format or None, one.size) for one in saved.files]
    size = target.stat().st_size if target.is_file() else 0
    made = SaveResult((str(target),), size, tuple(parts), manifest.values, manifest.confidential)
    used = tuple(Used(str(saved.places[one.member]), one.format) for one in saved.files)
    subject = Subject(str(target), f"saved from {manifest.title}")
    return Answered(SCHEMA, "save", used, saved.notes, made, subject, saved.notes)


def view(answered: Answered[SaveResult]) -> Report:
    made = answered.data
    facts = Facts([("Size", units.size(made.bytes))])
    columns = [
        Column("name", "file"),
        Column("format", "format"),
        Column("bytes", "unpacked", Unit.BYTES),
    ]
    rows: list[list[Value]] = [[one.name, one.format, one.bytes] for one in made.files]
    table = Table(columns, rows, fold=Fold(_SHOWN))
    notes = Notes(list(answered.notes))
    return Report(*answered.subject.lines, without_empty([facts, table, notes]))
