"""The files below a path, each with its format or the reason it has none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tfprof.errors import AccessDenied, InputUnreadable, PathNotFound
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.opener import opener_for
from tfprof.sources.files.registry import Format
from tfprof.sources.find.recognise import recognise

_MAX_DEPTH = 8
_MAX_FILES = 20_000
# files that could not be looked into, and are named
_SAID = 5
# folders that never hold a capture and may hold thousands of files
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages"})


@frozen_dataclass
class FoundFile:
    """`closed`: nobody could look into it, so that it may be anything; `why_not` says why.

    `rank` is that of the process of a run that wrote it.
    """

    path: Path
    format: Format | None
    why_not: str = ""
    modified: float = 0.0
    closed: bool = False
    rank: int | None = None

    @property
    def kind(self) -> str:
        """The format without its spelling: a text GraphDef is a GraphDef."""
        return self.format.name.removesuffix(" text") if self.format else ""

    @property
    def is_empty_capture(self) -> bool:
        """What is left of a capture that was too large, or whose process was killed."""
        is_capture = self.path.name.endswith(".xplane.pb")
        return is_capture and not self.closed and self._size() == 0

    def _size(self) -> int:
        return opener_for(self.path).facts(self.path).size

    @property
    def age_key(self) -> tuple[list[int], float, str]:
        """Sorts older files first: by the step in the name, then by time, then by name."""
        return [int(n) for n in re.findall(r"\d+", self.path.name)], self.modified, self.path.name


def inspect(path: Path) -> FoundFile:
    """One file; a file without a format says why instead of failing."""
    try:
        facts = opener_for(path).facts(path)
        if facts.comes_once:
            return FoundFile(path, None, "a pipe or a device; name it to read it", closed=True)
        return FoundFile(path, recognise(path), modified=facts.modified)
    except (FileNotFoundError, PathNotFound):
        return FoundFile(path, None, "a link that leads nowhere", closed=True)
    except InputUnreadable as fault:
        return FoundFile(path, None, fault.what, closed=isinstance(fault, AccessDenied))
    except OSError as fault:
        return FoundFile(path, None, AccessDenied.because(fault, "").what, closed=True)


def files_below(folder: Path) -> tuple[list[FoundFile], list[str]]:
    """Every file of a folder and its subfolders, with warnings about what was left out."""
    warnings: list[str] = []
    try:
        names = list(_walk(folder, warnings))
    except FileNotFoundError:
        raise PathNotFound("no such folder", where=str(folder)) from None
    except OSError as fault:
        what = f"the folder cannot be listed: {fault.strerror or fault}"
        raise AccessDenied(what, where=str(folder)) from None
    if len(names) > _MAX_FILES:
        warnings.append(f"{folder} holds over {_MAX_FILES:,} files; only the first were looked at")
        names = names[:_MAX_FILES]
    found = [inspect(path) for path in names]
    return found, [*warnings, *_about_closed([one for one in found if one.closed])]


def _about_closed(files: Sequence[FoundFile]) -> list[str]:
    """What may be missing in an answer because nobody could look into it."""
    said = [f"{one.path}: {one.why_not}; it was left out" for one in files[:_SAID]]
    more = len(files) - len(said)
    return [*said, f"{more:,} more files could not be looked into"] if more else said


def _walk(folder: Path, warnings: list[str]) -> Iterator[Path]:
    """Every folder once, under its own name where it has one here: links may lead in circles."""
    count = 0
    # a link to what the folder lies in is a circle, too
    entered = {*opener_for(folder).real(folder).parents}
    waiting, linked = [(folder, 0)], list[tuple[Path, int]]()
    while waiting or linked:
        here, depth = waiting.pop() if waiting else linked.pop(0)
        real = opener_for(here).real(here)
        if real in entered:
            continue
        entered.add(real)
        try:
            folders, files = opener_for(here).listed(here)
        except OSError as fault:
            if depth == 0:
                raise
            warnings.append(f"{here}: the folder cannot be listed: {fault.strerror or fault}")
            continue
        for name in sorted(files):
            if not name.startswith("."):
                yield here / name
                count += 1
        if count > _MAX_FILES:
            return
        if depth < _MAX_DEPTH:
            inside = [(here / name, depth + 1) for name in sorted(_entered(folders))]
            own = [one for one in inside if opener_for(here).real(one[0]) == real / one[0].name]
            linked += [one for one in inside if one not in own]
            waiting += reversed(own)


def _entered(names: Iterable[str]) -> Iterator[str]:
    return (n for n in names if not n.startswith(".") and n not in _SKIPPED_FOLDERS)
