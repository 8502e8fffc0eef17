"""The files in a saved profile, as they were chosen when it was saved: nothing is chosen anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.errors import InputUnreadable, NotReadYet, WrongKind
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.registry import formats
from tfprof.sources.find.choose import Selection
from tfprof.sources.find.folders import FoundFile
from tfprof.sources.formats.saved_profile import KIND

if TYPE_CHECKING:
    from tfprof.sources.saved.manifest import SavedFile


@frozen_dataclass
class SavedSelection:
    """`found` is what was said about the folder that it was saved from."""

    selection: Selection
    found: list[str]


def saved_selection(path: Path) -> SavedSelection:
    from tfprof.sources.saved.manifest import ELSEWHERE, PASSED_OVER, USED
    from tfprof.sources.saved.members import members_of

    members = members_of(path)
    if members is None:
        raise WrongKind("this is no saved profile any more", where=str(path))
    manifest = members.manifest
    selection = Selection(str(path), other_runs=manifest.other_runs)
    selection.warnings += manifest.warnings
    came = f"saved by {manifest.written_by} from {manifest.title}"
    selection.opened.append((FoundFile(path, formats()[KIND]), came))
    for one in manifest.files:
        found = _found(path, one)
        if one.role == USED:
            selection.used.append(found)
        elif one.role == PASSED_OVER:
            selection.passed_over.append((found, one.why))
        elif one.role == ELSEWHERE:
            selection.elsewhere.append((found, one.why))
    if not selection.used:
        raise WrongKind("there is nothing in this saved profile", where=str(path))
    return SavedSelection(selection, list(manifest.found))


def opened(selection: Selection, warnings: list[str]) -> Selection:
    """The files in a saved profile, where that is what was chosen; what was said of them is told.

    One that is damaged says so when it is read, beside others that are not.
    """
    if [one.kind for one in selection.used] != [KIND]:
        return selection
    try:
        saved = saved_selection(selection.used[0].path)
    except InputUnreadable:
        return selection
    saved.selection.other_runs += selection.other_runs
    warnings += saved.found
    return saved.selection


def _found(path: Path, one: SavedFile) -> FoundFile:
    """What was left out is only known by its name: nobody can look into it."""
    known = formats()
    if one.format and one.format not in known:
        raise NotReadYet(
            f"the saved profile has a file of the format {one.format!r}",
            where=str(path / one.name),
            hint="Take a newer tfprof: pip install --upgrade tfprof",
        )
    made = known.get(one.format)
    why = "" if made is not None else one.why
    return FoundFile(path / one.name, made, why, one.modified, not one.member, one.rank)
