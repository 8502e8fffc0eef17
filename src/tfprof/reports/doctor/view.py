"""What is in a place: a table of the files, then what there is to say about them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tfprof.model import units
from tfprof.reports.doctor.restore_facts import restore_facts
from tfprof.reports.shared.recorded_run import run_text
from tfprof.reports.shared.words import shell_path
from tfprof.results.answered import Answered
from tfprof.results.doctor import Checksums, DoctorResult, FileRow
from tfprof.views.shapes import Column, Facts, Fold, Notes, Report, Table, Unit, without_empty

_ROWS_SHOWN = 40


def view(answered: Answered[DoctorResult]) -> Report:
    title, looked_at = answered.subject.lines
    found = answered.data
    facts, notes = Facts(list(_facts(title, found))), Notes(answered.notes)
    return Report(title, looked_at, without_empty([_files(title, found), facts, notes]))


def _files(title: str, found: DoctorResult) -> Table:
    listed = sorted(found.found, key=lambda one: (not one.used, not one.format))
    return Table(
        [Column("path", "file"), Column("format", "format"), Column("why", "use", Unit.PROSE)],
        [[_relative(title, one.path), one.format or "?", _use(one)] for one in listed],
        fold=Fold(_ROWS_SHOWN, then="; --json lists all"),
    )


def _facts(title: str, found: DoctorResult) -> Iterator[tuple[str, str]]:
    ran = run_text(found.recorded) if found.recorded is not None else ""
    if ran:
        yield "Run", ran
    if found.other_runs:
        yield "Others", f"{units.plural(found.other_runs, 'run')} in this folder: --run NAME"
    yield from restore_facts(found.restore.savers if found.restore is not None else ())
    if found.checksums is not None:
        yield "Checksums", _verified(found.checksums)
    for one in found.missing:
        yield "Missing", f"{one.what}: would add {one.adds}"
    if found.models > 1:
        yield "Models", f"{found.models}; name the files of one to read it"
    if found.written_by:
        yield "Written by", f"TensorFlow {', '.join(found.written_by)}"
    if any(one.used for one in found.found):
        yield "Next", found.missing[0].command if found.missing else f"tfprof {shell_path(title)}"


def _verified(checksums: Checksums) -> str:
    if checksums.whole is None and not checksums.saved:
        return "not verified: the profile was saved without values"
    if checksums.whole is None:
        hint = "`tfprof CHECKPOINT --stats` reads all of it"
        return f"not verified: {units.size(checksums.bytes)}; {hint}"
    tensors = units.plural(checksums.tensors, "tensor")
    return f"all of {tensors} verified" if checksums.whole else f"not all of {tensors} can be read"


def _use(found: FileRow) -> str:
    if found.used:
        return f"used, {found.why}" if found.why else "used"
    return found.why or "not used"


def _relative(title: str, path: str) -> str:
    folder, file = Path(title), Path(path)
    inside = file.is_relative_to(folder) and file != folder
    return str(file.relative_to(folder)) if inside else path
