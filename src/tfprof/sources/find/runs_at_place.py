"""The runs of one place, read one after the other; what cannot be read says why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tfprof.errors import AccessDenied, TfprofError, WrongKind
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.profile import ProfileData
from tfprof.sources.find.choose import CAPTURE, Selection, choose_among, is_run, runs_below
from tfprof.sources.find.folders import FoundFile, inspect
from tfprof.sources.find.load import Request, read_one
from tfprof.sources.find.reading import ProgressOf, read
from tfprof.sources.find.run_places import RunPlace

RUN_FOLDER, SAVED_PROFILE = "run folder", "saved profile"
# files that say with their names that there was a run
_CLAIMS = re.compile(r".*\.xplane\.(pb|riegeli)(\.gz)?|run_?meta(data)?([_.-]?\d+)?(\.pb)?(\.gz)?")


@frozen_dataclass
class RunRead:
    """A profile, or the error that came instead; `kind` is what was read."""

    path: Path
    kind: str
    found: ProfileData | TfprofError


def kind_of(place: RunPlace) -> str:
    """What a place is, by its name: of some files only reading them tells more."""
    if place.is_file:
        return SAVED_PROFILE if place.path.name.lower().endswith(".tfprof") else "file"
    return RUN_FOLDER if place.is_recorded else "files"


def runs_at(place: RunPlace, progress: ProgressOf | None = None) -> Iterator[RunRead]:
    if place.is_file or place.is_recorded:
        yield RunRead(place.path, kind_of(place), _read_whole(place.path, progress))
    else:
        yield from _of_files(place, progress)


def _read_whole(path: Path, progress: ProgressOf | None) -> ProfileData | TfprofError:
    try:
        return read_one(Request([path]), progress)
    except TfprofError as fault:
        return fault
    except OSError as fault:
        return AccessDenied.because(fault, str(path))


def _of_files(place: RunPlace, progress: ProgressOf | None) -> Iterator[RunRead]:
    """A run for each model or capture: of several captures, nobody says that they are of one.

    What is called like one and is none is told beside them; the place is, where it has no others.
    """
    found = [inspect(file.path) for file in place.files]
    claims = [file for file in found if _CLAIMS.fullmatch(file.path.name)]
    groups = runs_below(place.path, found)
    if claims and not any(map(is_run, groups.values())) and not any(one.format for one in claims):
        yield RunRead(place.path, "file", _no_run(claims[0], place.path))
        return
    for title, group in groups.items():
        if is_run(group):
            for selection, kind in _selections(title, group):
                yield RunRead(Path(selection.title), kind, _read(selection, progress))
        else:
            for file in (one for one in group if one in claims):
                yield RunRead(file.path, "file", _read_claim(file, progress))


def _selections(title: str, group: Sequence[FoundFile]) -> Iterator[tuple[Selection, str]]:
    captures = sorted({one.path.parent for one in group if one.kind == CAPTURE})
    if len(captures) < 2:
        yield choose_among(title, group), "capture" if captures else "files"
        return
    for folder in captures:
        mine = [one for one in group if one.kind != CAPTURE or one.path.parent == folder]
        yield choose_among(str(folder), mine), "capture"


def _read(selection: Selection, progress: ProgressOf | None) -> ProfileData | TfprofError:
    try:
        return read(selection, progress)
    except TfprofError as fault:
        return fault
    except OSError as fault:
        return AccessDenied.because(fault, selection.title)


def _read_claim(file: FoundFile, progress: ProgressOf | None) -> ProfileData | TfprofError:
    """No run, but maybe a file that tells something."""
    return _no_run(file, file.path) if file.format is None else _read_whole(file.path, progress)


def _no_run(file: FoundFile, called: Path) -> TfprofError:
    """Why a file is none that was meant to be, of what is `called` so: it, or a folder around."""
    why = file.why_not or "the file is empty"
    if file.path != called:
        why = f"{file.path.relative_to(called)}: {why}"
    return (AccessDenied if file.closed else WrongKind)(why, where=str(called))
