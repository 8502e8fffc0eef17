"""Patterns that somebody quoted, or that no shell knows: `runs/2026-*`, `s3://bucket/runs/**`."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from pathlib import Path

from tfprof.errors import AccessDenied, PathNotFound
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.opener import opener_for

_MAGIC = re.compile(r"[*?\[]")
_ANY_FOLDERS = "**"
# of one pattern; nobody reads more, and each is looked at
_MOST_FOUND = 100_000


@frozen_dataclass
class Pattern:
    """`base` is what stands before the first wildcard; `parts` is the rest."""

    base: Path
    parts: tuple[str, ...]

    @property
    def is_deep(self) -> bool:
        return _ANY_FOLDERS in self.parts

    @property
    def text(self) -> str:
        return str(self.base.joinpath(*self.parts))


def pattern_of(path: Path) -> Pattern | None:
    """None of a plain path; what is there is one, whatever it is called."""
    if not _MAGIC.search(str(path)) or opener_for(path).exists(path):
        return None
    plain = 0
    while plain < len(path.parts) and not _MAGIC.search(path.parts[plain]):
        plain += 1
    return Pattern(Path(*path.parts[:plain]), path.parts[plain:])


def matching(pattern: Pattern) -> list[Path]:
    """What a pattern without `**` names, or what stands before it: folders to look below."""
    found = [pattern.base]
    for part in pattern.parts:
        if part == _ANY_FOLDERS:
            break
        found = [below for folder in found for below in _named(folder, part)][:_MOST_FOUND]
    if not found:
        raise PathNotFound("nothing is called so", where=pattern.text)
    return found


def _named(folder: Path, part: str) -> Iterator[Path]:
    if not _MAGIC.search(part):
        there = folder / part
        if opener_for(there).exists(there):
            yield there
        return
    try:
        if not opener_for(folder).is_folder(folder):
            return
        names = [name for some in opener_for(folder).listed(folder) for name in some]
    except FileNotFoundError:
        return
    except OSError as fault:
        raise AccessDenied.because(fault, str(folder)) from None
    shown = (name for name in sorted(names) if part.startswith(".") or not name.startswith("."))
    yield from (folder / name for name in shown if fnmatch.fnmatchcase(name, part))


def lies_in_match(pattern: Pattern, below: tuple[str, ...]) -> bool:
    """Whether a path, seen from the folder before `**`, or a folder above it is called so."""
    wanted = pattern.parts[pattern.parts.index(_ANY_FOLDERS) :]
    while wanted and wanted[-1] == _ANY_FOLDERS:
        wanted = wanted[:-1]
    # how much of what is wanted may be used up by now
    places = _with_none(wanted, {0})
    if len(wanted) in places:
        return True
    for name in below:
        places = _with_none(wanted, {*_after(wanted, places, name)})
        if len(wanted) in places:
            return True
    return False


def _after(wanted: tuple[str, ...], places: set[int], name: str) -> Iterator[int]:
    for place in places:
        if wanted[place] == _ANY_FOLDERS:
            yield place
        elif fnmatch.fnmatchcase(name, wanted[place]):
            yield place + 1


def _with_none(wanted: tuple[str, ...], places: set[int]) -> set[int]:
    """`**` may stand for no folder at all."""
    found = {*places}
    for place in range(len(wanted)):
        if place in found and wanted[place] == _ANY_FOLDERS:
            found.add(place + 1)
    return found
