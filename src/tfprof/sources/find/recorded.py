"""The recorded run that a folder stands for: it is one, or the newest of those in it is taken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tfprof.errors import AccessDenied, EmptyFile, UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.opener import opener_for
from tfprof.sources.find.choose import CHECKPOINT_KINDS, Selection, is_run
from tfprof.sources.find.choose_in_run import captures_in_run, choose_in_run
from tfprof.sources.find.folders import FoundFile, files_below, inspect
from tfprof.sources.find.run_folders import RunFolder, run_folder_at, run_folders_in, run_roots
from tfprof.sources.formats.saved_profile import KIND as SAVED

_LISTED = 5
# what a program writes to its own log directory, in which the run was recorded, too
_OF_THE_PROGRAM = ("event file", *CHECKPOINT_KINDS)


@frozen_dataclass
class Recorded:
    selection: Selection
    warnings: list[str]


def choose_recorded_below(
    folder: Path, found: Sequence[FoundFile], name: str | None
) -> Recorded | None:
    """The same of runs that lie deeper, such as in `tfprof-runs`.

    None where the folder holds a model or a run of another kind, which then is meant.
    """
    roots = run_roots([one.path for one in found], folder)
    if not roots:
        return None
    runs = sorted(roots.values(), key=lambda one: one.age_key)
    if name is not None:
        picked = _picked(runs, Path(name).parts)
        if picked is None:
            return None
        made = _chosen(*picked, [])
    else:
        rest = [one for one in found if not any(one.path.is_relative_to(root) for root in roots)]
        if is_run([one for one in rest if one.kind != SAVED]):
            return None
        made = _chosen(runs[-1], (), [])
    made.selection.other_runs = len(runs) - 1
    return made


def choose_recorded(folder: Path, name: str | None) -> Recorded | None:
    """None where nothing was recorded, or where `--run NAME` means none of what was."""
    one, asked = run_folder_at(folder), Path(name or "").parts
    if one is not None:
        if name is not None and not _is_inside(one, asked):
            raise _unknown(folder, name, _names_inside(one))
        return _chosen(one, asked, [])
    runs = run_folders_in(folder)
    if not runs:
        return None
    picked = (runs[-1], asked) if name is None else _picked(runs, asked)
    if picked is None:
        if _holds_others(folder, runs):
            return None  # of the log directory around them
        raise _unknown(folder, name or "", [run.path.name for run in reversed(runs)])
    run, asked = picked
    made = _chosen(run, asked, _written_meanwhile(folder, run))
    made.selection.other_runs = len(runs) - 1
    return made


def _chosen(run: RunFolder, asked: tuple[str, ...], beside: Sequence[FoundFile]) -> Recorded:
    found, warnings = files_below(run.path)
    empty = [EmptyFile(str(one.path)) for one in found if one.is_empty_capture]
    warnings += [f"{fault}. {fault.hint}" for fault in empty]
    selection = choose_in_run(run, [*found, *beside], asked)
    if not selection.used:
        raise AccessDenied("its record cannot be read", where=str(run.path))
    return Recorded(selection, warnings)


def _is_inside(run: RunFolder, asked: tuple[str, ...]) -> bool:
    """A name of the run itself, of one of its ranks, of a capture or of run metadata."""
    names = [run.path.name, *(folder.name for folder in run.ranks.values())]
    return bool(asked) and all(part in names or captures_in_run(run, part) for part in asked)


def _names_inside(run: RunFolder) -> list[str]:
    captures = (
        one.name for record in run.records.values() for p in record.processes for one in p.captures
    )
    ranks = [folder.name for folder in run.ranks.values() if folder != run.path]
    return [*ranks, *sorted(set(captures), reverse=True)]


def _picked(
    runs: Sequence[RunFolder], asked: tuple[str, ...]
) -> tuple[RunFolder, tuple[str, ...]] | None:
    """By the name of the run, what is behind it inside; else by what only one of them has."""
    for run in runs:
        if asked[:1] == (run.path.name,) and _is_inside(run, asked):
            return run, asked[1:]
    having = [run for run in runs if asked and captures_in_run(run, asked[-1])]
    return (having[-1], asked) if having and len(asked) == 1 else None


def _written_meanwhile(folder: Path, run: RunFolder) -> list[FoundFile]:
    """Logs and checkpoints beside the run that were written since it began."""
    if run.started is None:
        return []
    try:
        _, names = opener_for(folder).listed(folder)
    except OSError:
        return []
    found = (inspect(folder / name) for name in sorted(names) if not name.startswith("."))
    since = run.started.timestamp() - 1
    ended = [one.ended for one in run.records.values()]
    until = max((e.timestamp() for e in ended if e is not None), default=None)
    return [
        one
        for one in found
        if one.kind in _OF_THE_PROGRAM
        and since <= one.modified
        and (until is None or None in ended or one.modified <= until + 1)
    ]


def _holds_others(folder: Path, runs: Sequence[RunFolder]) -> bool:
    """Whether there is anything but recorded runs."""
    own = {run.path.name for run in runs}
    try:
        folders, files = opener_for(folder).listed(folder)
    except OSError:
        return False
    return any(not name.startswith(".") for name in [*(set(folders) - own), *files])


def _unknown(folder: Path, name: str, names: Sequence[str]) -> UsageError:
    import difflib  # where something is misspelt

    near = difflib.get_close_matches(name, names, 1)
    more = ", ..." if len(names) > _LISTED else ""
    listed = f"There are {', '.join(names[:_LISTED])}{more}." if names else ""
    hint = f"Did you mean {near[0]}?" if near else listed
    return UsageError(f"no run of {folder} is called {name!r}", hint=hint)
