"""What is here, what was taken and why, what is missing and the next command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tfprof.answers.common import folded, shell_path
from tfprof.answers.digest import digest
from tfprof.answers.missing import Missing, missing_inputs
from tfprof.model import units
from tfprof.model.profile import Input, ProfileData
from tfprof.views.result import Result
from tfprof.views.shapes import Column, Facts, Notes, Part, Report, Table, Unit

_ROWS_SHOWN = 40


def doctor(
    title: str,
    found: Sequence[Input],
    profiles: Sequence[ProfileData],
    problems: Sequence[str],
    warnings: Sequence[str],
) -> Result:
    """`found` is every file; `problems` are the errors that reading them would end in."""
    missing = list(missing_inputs(digest(profiles[0]))) if len(profiles) == 1 else []
    notes = [*problems, *warnings, *(w for p in profiles for w in p.warnings)]
    listed = sorted(found, key=lambda i: (not i.used, not i.format))
    parts: list[Part] = [
        Table(
            [Column("path", "file"), Column("format", "format"), Column("why", "use", Unit.PROSE)],
            [[_relative(title, i), i.format or "?", _use(i)] for i in listed[:_ROWS_SHOWN]],
            folded=f"{folded(len(listed) - _ROWS_SHOWN)}; --json lists all"
            if len(listed) > _ROWS_SHOWN
            else "",
        )
    ]
    facts = [(("Missing"), f"{m.what}: would add {m.adds}") for m in missing]
    if len(profiles) > 1:
        facts.append(("Models", f"{len(profiles)}; name the files of one to read it"))
    written = {p.declared.tensorflow_version for p in profiles if p.declared.tensorflow_version}
    if written:
        facts.append(("Written by", f"TensorFlow {', '.join(sorted(written))}"))
    if any(i.used for i in found):
        facts.append(("Next", _next_command(title, missing)))
    parts.append(Facts(facts))
    if notes:
        parts.append(Notes(notes))
    used = [i for i in found if i.used]
    return Result(
        "doctor",
        [(str(i.path), i.format) for i in used],
        notes,
        _as_data(found, missing),
        Report(
            title,
            f"{units.plural(len(found), 'file')} looked at, {len(used):,} used",
            [p for p in parts if not isinstance(p, Facts) or p.rows],
        ),
    )


def _next_command(title: str, missing: Sequence[Missing]) -> str:
    return missing[0].command if missing else f"tfprof {shell_path(title)}"


def _use(found: Input) -> str:
    if found.used:
        return f"used, {found.why}" if found.why else "used"
    return found.why or "not used"


def _relative(title: str, found: Input) -> str:
    folder = Path(title)
    return (
        str(found.path.relative_to(folder))
        if found.path.is_relative_to(folder) and (found.path != folder)
        else str(found.path)
    )


def _as_data(found: Sequence[Input], missing: Sequence[Missing]) -> dict[str, Any]:
    return {
        "found": [
            {"path": str(i.path), "format": i.format or None, "used": i.used, "why": i.why or None}
            for i in found
        ],
        "missing": [{"what": m.what, "adds": m.adds, "command": m.command} for m in missing],
        "restore": None,
    }
