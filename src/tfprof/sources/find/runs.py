"""Which run of a folder is meant: `--run NAME`, by the name of its folder or of a capture."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from tfprof.errors import UsageError
from tfprof.sources.find.choose import CAPTURE, RUN_KINDS, Selection, choose_in_folder
from tfprof.sources.find.folders import FoundFile

_LISTED = 5
_OTHER = "of another run: --run picks it"

Chosen = tuple[list[Selection], list[tuple[FoundFile, str]]]


def choose_run(folder: Path, files: Sequence[FoundFile], name: str) -> Chosen:
    """The run called so, with the newest of its captures; or the capture or run metadata called so.

    Of a longer name each part is a folder, from the outside in: `run1/2026_11_15_18_23_33`.
    """
    recorded = [one for one in files if one.kind in (CAPTURE, *RUN_KINDS)]
    meant = [one for one in recorded if _is_called(_parts(folder, _place(one)), name)]
    if meant:
        others = [one for one in recorded if one not in meant and one.kind == meant[0].kind]
        selections, rest = choose_in_folder(folder, [one for one in files if one not in others])
        picked = [one for one in selections if any(file in meant for file in one.used)]
        if meant[0].kind == CAPTURE:  # a name that other commands find it by
            for one in picked:
                one.title = str(next(file.path.parent for file in one.used if file in meant))
        rest += [(one, _OTHER) for one in others]
    else:
        selections, rest = choose_in_folder(folder, files)
        picked = [one for one in selections if _is_called(_parts(folder, one.title), name)]
    if not picked:
        raise _unknown(folder, name, selections, recorded)
    for one in selections:
        if one not in picked:
            rest += [(file, _OTHER) for file in one.used] + one.passed_over
    return picked, rest


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


def _unknown(
    folder: Path, name: str, selections: Sequence[Selection], recorded: Sequence[FoundFile]
) -> UsageError:
    names = [Path(*_parts(folder, one.title)).as_posix() for one in selections]
    names += sorted({_place(one).name for one in recorded}, reverse=True)
    near = difflib.get_close_matches(name, names, 1)
    more = ", ..." if len(names) > _LISTED else ""
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(names[:_LISTED])}{more}."
    return UsageError(f"no run of {folder} is called {name!r}", hint=hint)
