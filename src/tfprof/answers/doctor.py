"""What is here, what was taken and why, what is missing and the next command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tfprof.analyses.verify import damaged_tensors
from tfprof.answers.common import folded, shell_path
from tfprof.answers.digest import Digest
from tfprof.answers.missing import Missing, missing_inputs
from tfprof.answers.restore_facts import restore_data, restore_facts, restores_of
from tfprof.model import units
from tfprof.model.profile import Input
from tfprof.views.result import Result
from tfprof.views.shapes import Column, Facts, Notes, Part, Report, Table, Unit, without_empty

_ROWS_SHOWN = 40
_DAMAGE_SHOWN = 5
_VERIFIED_UP_TO = 2 * 10**9


def doctor(
    title: str,
    found: Sequence[Input],
    profiles: Sequence[Digest],
    problems: Sequence[str],
    warnings: Sequence[str],
) -> Result:
    """`found` is every file; `problems` are the errors that reading them would end in."""
    one = profiles[0] if len(profiles) == 1 else None
    missing = list(missing_inputs(one)) if one is not None else []
    restored = restores_of(one) if one is not None else []
    checked, damage = _verified(one)
    notes = [*problems, *damage, *warnings, *(w for p in profiles for w in p.data.warnings)]
    used = [i for i in found if i.used]
    facts = [*restore_facts(restored), *checked]
    facts += [("Missing", f"{m.what}: would add {m.adds}") for m in missing]
    facts += _about(title, profiles, missing if used else None)
    parts: list[Part] = [_files_table(title, found), Facts(facts), Notes(notes)]
    looked_at = f"{units.plural(len(found), 'file')} looked at, {len(used):,} used"
    return Result(
        "doctor",
        [(str(i.path), i.format) for i in used],
        notes,
        _as_data(found, missing) | {"restore": restore_data(restored)},
        Report(title, looked_at, without_empty(parts)),
    )


def _files_table(title: str, found: Sequence[Input]) -> Table:
    listed = sorted(found, key=lambda i: (not i.used, not i.format))
    rest = len(listed) - _ROWS_SHOWN
    return Table(
        [Column("path", "file"), Column("format", "format"), Column("why", "use", Unit.PROSE)],
        [[_relative(title, i), i.format or "?", _use(i)] for i in listed[:_ROWS_SHOWN]],
        folded=f"{folded(rest)}; --json lists all" if rest > 0 else "",
    )


def _about(
    title: str, profiles: Sequence[Digest], missing: Sequence[Missing] | None
) -> Iterator[tuple[str, str]]:
    if len(profiles) > 1:
        yield "Models", f"{len(profiles)}; name the files of one to read it"
    written = {p.data.declared.tensorflow_version for p in profiles} - {""}
    if written:
        yield "Written by", f"TensorFlow {', '.join(sorted(written))}"
    if missing is not None:
        yield "Next", _next_command(title, missing)


def _verified(known: Digest | None) -> tuple[list[tuple[str, str]], list[str]]:
    """The checksums of a checkpoint that can be read in seconds: a fact, and what is damaged."""
    if known is None or known.data.checkpoint is None:
        return [], []
    checkpoint = known.data.checkpoint
    size = sum(tensor.stored_bytes for tensor in checkpoint.tensors.values())
    if size > _VERIFIED_UP_TO:
        hint = "`tfprof CHECKPOINT --stats` reads all of it"
        return [("Checksums", f"not verified: {units.size(size)}; {hint}")], []
    damage = list(damaged_tensors(checkpoint))
    whole = units.plural(len(checkpoint.tensors), "tensor")
    fact = f"not all of {whole} can be read" if damage else f"all of {whole} verified"
    return [("Checksums", fact)], [str(fault) for fault in damage[:_DAMAGE_SHOWN]]


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
    }
