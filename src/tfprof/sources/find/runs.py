"""Which run of a folder is meant: `--run NAME`, by the name of its folder or of a capture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tfprof.errors import UsageError
from tfprof.sources.find.choose import (
    CAPTURE,
    RUN_KINDS,
    Selection,
    choose_among,
    is_run,
    runs_below,
)
from tfprof.sources.find.folders import FoundFile

_RECORDS = (CAPTURE, *RUN_KINDS)
_LISTED = 5
_OTHER = "another run was asked for; --run picks this one"

Chosen = tuple[list[Selection], list[tuple[FoundFile, str]]]


def choose_run(folder: Path, files: Sequence[FoundFile], name: str) -> Chosen:
    """The run called so, with the newest of its captures; or the capture or run metadata called so.

    Of a longer name each part is a folder, from the outside in: `run1/2026_11_15_18_23_33`.
    """
    runs = runs_below(folder, files)
    picked = {
        title: choose_among(title, group)
        for title, group in runs.items()
        if is_run(group) and _is_called(_parts(folder, title), name)
    }
    if not picked:
        found = {title: _with_record(folder, title, group, name) for title, group in runs.items()}
        picked = {title: one for title, one in found.items() if one is not None}
    if not picked:
        raise _unknown(folder, name, runs)
    others = [group for title, group in runs.items() if title not in picked]
    for one in picked.values():
        one.other_runs = sum(map(is_run, others))
    return list(picked.values()), [(file, file.why_not or _OTHER) for g in others for file in g]


def _with_record(
    folder: Path, title: str, group: Sequence[FoundFile], name: str
) -> Selection | None:
    """A run with the capture or the run metadata that is called so, and no other of the kind."""
    recorded = [one for one in group if one.kind in _RECORDS]
    meant = [one for one in recorded if _is_called(_parts(folder, _place(one)), name)]
    if not meant:
        return None
    others = [one for one in recorded if one.kind == meant[0].kind and one not in meant]
    if meant[0].kind == CAPTURE:  # a name that other commands find it by
        title = str(_place(meant[0]))
    run = choose_among(title, [one for one in group if one not in others])
    run.passed_over += [(one, _OTHER) for one in others]
    return run


def _place(file: FoundFile) -> Path:
    """A capture is a folder, with a file a host; run metadata is a file."""
    return file.path.parent if file.kind == CAPTURE else file.path


def _parts(folder: Path, path: Path | str) -> tuple[str, ...]:
    """Below the folder; of the folder itself its own name."""
    below = Path(path).relative_to(folder).parts
    return below or (folder.name,)


def _is_called(parts: Sequence[str], name: str) -> bool:
    """Whether the name ends where the parts end, and the rest of it is among them in order."""
    said = Path(name).parts
    if not said or not parts or said[-1] != parts[-1]:
        return False
    left = iter(parts)
    return all(part in left for part in said)


def _unknown(folder: Path, name: str, runs: Mapping[str, Sequence[FoundFile]]) -> UsageError:
    names = [Path(*_parts(folder, one)).as_posix() for one, group in runs.items() if is_run(group)]
    recorded = (one for group in runs.values() for one in group if one.kind in _RECORDS)
    names += sorted({_place(one).name for one in recorded}, reverse=True)
    import difflib  # where something is misspelt

    near = difflib.get_close_matches(name, names, 1)
    more = ", ..." if len(names) > _LISTED else ""
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(names[:_LISTED])}{more}."
    return UsageError(f"no run of {folder} is called {name!r}", hint=hint)
