"""The files below a path, each with its format or the reason it has none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tfprof.errors import AccessDenied, InputUnreadable, PathNotFound
from tfprof.sources.files.opener import opener_for
from tfprof.sources.files.registry import Format
from tfprof.sources.find.recognise import recognise

_MAX_DEPTH = 8
_MAX_FILES = 10_000
# folders that never hold a capture and may hold thousands of files
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages"})


@dataclass(frozen=True, slots=True)
class FoundFile:
    path: Path
    format: Format | None
    why_not: str = ""
    modified: float = 0.0

    @property
    def kind(self) -> str:
        """The format without its spelling: a text GraphDef is a GraphDef."""
        return self.format.name.removesuffix(" text") if self.format else ""

    @property
    def is_empty_capture(self) -> bool:
        """What the profiler leaves when the capture is too large to be written."""
        return self.path.name.endswith(".xplane.pb") and self._size() == 0

    def _size(self) -> int:
        return opener_for(self.path).facts(self.path).size

    @property
    def age_key(self) -> tuple[list[int], float, str]:
        """Sorts older files first: by the step in the name, then by time, then by name."""
        return [int(n) for n in re.findall(r"\d+", self.path.name)], self.modified, self.path.name


def inspect(path: Path) -> FoundFile:
    """One file; a file without a format says why instead of failing."""
    try:
        modified = opener_for(path).facts(path).modified
        return FoundFile(path, recognise(path), modified=modified)
    except InputUnreadable as fault:
        return FoundFile(path, None, fault.what)
    except OSError as fault:
        return FoundFile(path, None, fault.strerror or "cannot be opened")


def files_below(folder: Path) -> tuple[list[FoundFile], list[str]]:
    """Every file of a folder and its subfolders, with warnings about what was left out."""
    warnings: list[str] = []
    try:
        names = list(_walk(folder))
    except PermissionError:
        raise AccessDenied("the folder cannot be listed", where=str(folder)) from None
    except FileNotFoundError:
        raise PathNotFound("no such folder", where=str(folder)) from None
    if len(names) > _MAX_FILES:
        warnings.append(f"{folder} holds over {_MAX_FILES:,} files; only the first were looked at")
        names = names[:_MAX_FILES]
    return [inspect(path) for path in names], warnings


def _walk(folder: Path) -> Iterator[Path]:
    seen = 0
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        try:
            folders, files = opener_for(here).listed(here)
        except OSError:
            if depth == 0:
                raise
            continue  # what cannot be listed is passed over, below the folder that was named
        for name in sorted(files):
            if not name.startswith("."):
                yield here / name
                seen += 1
        if seen > _MAX_FILES:
            return
        if depth < _MAX_DEPTH:
            inside = sorted(_entered(folders), reverse=True)
            waiting += [(here / name, depth + 1) for name in inside]


def _entered(names: Iterable[str]) -> Iterator[str]:
    return (n for n in names if not n.startswith(".") and n not in _SKIPPED_FOLDERS)
