"""All files below a folder with what tells that they are written again: nothing is opened.

Size and time, or the tag of a store, as the listing of a folder has them. Packed files are not
unpacked for it, and a bucket is listed in one go.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol, runtime_checkable

from tfprof.errors import AccessDenied, PathNotFound
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.opener import LocalFiles, opener_for

_MAX_DEPTH = 12
# so many are listed before somebody has to ask for more
MOST_FILES = 500_000
# pictures, sounds and data: of these nothing can be read, and there may be very many
_NEVER_RUNS = (
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".wav", ".mp3", ".flac", ".mp4", ".avi",
    ".tfrecord", ".tfrecords", ".npy", ".npz", ".parquet", ".arrow", ".py", ".pyc", ".ipynb",
)  # fmt: skip
# folders that never hold a run and may hold thousands of files
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages"})


@frozen_dataclass
class ListedFile:
    """`stamp` is another one when the file is written again; empty where nobody can say."""

    path: Path
    size: int
    stamp: str
    modified_ns: int = 0


@frozen_dataclass
class ListedBelow:
    """By name; not `is_whole` where there are more than were asked for."""

    files: Iterable[ListedFile]
    is_whole: bool


@runtime_checkable
class ListsBelow(Protocol):
    """A store that lists what is below a folder in one go, `most` files and a few more at most."""

    def below(self, folder: Path, most: int) -> ListedBelow | None: ...

    def stamped(self, path: Path) -> ListedFile: ...


def listed_file(path: Path) -> ListedFile:
    """One file that somebody named."""
    opener = opener_for(path)
    try:
        if isinstance(opener, LocalFiles):
            return _stated(path, path.stat())
        if isinstance(opener, ListsBelow):
            return opener.stamped(path)
        facts = opener.facts(path)
    except FileNotFoundError:
        raise PathNotFound("no such file or folder", where=str(path)) from None
    except (OSError, ValueError) as fault:
        why = fault if isinstance(fault, OSError) else OSError(str(fault))
        raise AccessDenied.because(why, str(path)) from None
    return ListedFile(path, facts.size, str(facts.modified_ns or ""), facts.modified_ns)


@frozen_dataclass
class Listing:
    """Files that may be read, and what there is to say; `is_whole` unless there were too many.

    `shut` are the folders that could not be listed.
    """

    files: list[ListedFile]
    warnings: list[str]
    is_whole: bool = True
    shut: Sequence[AccessDenied] = ()


def files_listed(folder: Path, most: int = MOST_FILES) -> Listing:
    """Without what is hidden or never a run; with warnings about what could not be listed."""
    shut: list[AccessDenied] = []
    opener = opener_for(folder)
    try:
        at_once = opener.below(folder, most) if isinstance(opener, ListsBelow) else None
        found = _walked(folder, shut) if at_once is None else _shown(folder, at_once.files)
        is_whole = at_once is None or at_once.is_whole
        files: list[ListedFile] = []
        for count, file in enumerate(found):
            if count == most:
                is_whole = False
                break
            if not file.path.name.lower().endswith(_NEVER_RUNS):
                files.append(file)
    except FileNotFoundError:
        raise PathNotFound("no such folder", where=str(folder)) from None
    except OSError as fault:
        raise _not_listed(folder, fault) from None
    warnings = [str(one) for one in shut]
    if not is_whole:
        said = f"{folder} holds over {most:,} files; only the first were looked at"
        warnings.append(f"{said} (--most-files N looks at more)")
    return Listing(files, warnings, is_whole, shut)


def _not_listed(folder: Path, fault: OSError) -> AccessDenied:
    what = f"the folder cannot be listed: {fault.strerror or fault}"
    return AccessDenied(what, where=str(folder))


def _shown(folder: Path, files: Iterable[ListedFile]) -> Iterator[ListedFile]:
    for file in files:
        *folders, name = file.path.relative_to(folder).parts
        if not name.startswith(".") and [*_entered(folders)] == folders:
            yield file


def _entered(names: Iterable[str]) -> Iterator[str]:
    return (n for n in names if not n.startswith(".") and n not in _SKIPPED_FOLDERS)


def _walked(folder: Path, shut: list[AccessDenied]) -> Iterator[ListedFile]:
    """Every folder once: links may lead in circles."""
    entered = {*opener_for(folder).real(folder).parents}
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        real = opener_for(here).real(here)
        if real in entered:
            continue
        entered.add(real)
        try:
            folders, files = _entries(here)
        except OSError as fault:
            if depth == 0:
                raise
            shut.append(_not_listed(here, fault))
            continue
        yield from files
        if depth < _MAX_DEPTH:
            names = sorted(_entered(folders), reverse=True)
            waiting += [(here / name, depth + 1) for name in names]


def _entries(folder: Path) -> tuple[list[str], list[ListedFile]]:
    opener = opener_for(folder)
    if isinstance(opener, LocalFiles):
        return _local_entries(folder)
    folders, names = opener.listed(folder)
    found = []
    for name in sorted(names):
        with suppress(PathNotFound):  # a link that leads nowhere
            found += [] if name.startswith(".") else [listed_file(folder / name)]
    return folders, found


def _local_entries(folder: Path) -> tuple[list[str], list[ListedFile]]:
    folders, files = list[str](), list[ListedFile]()
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.name.startswith("."):
                continue
            try:
                if entry.is_dir():
                    folders.append(entry.name)
                    continue
                found = entry.stat()
            except OSError:  # a link that leads nowhere
                continue
            files.append(_stated(folder / entry.name, found))
    return folders, files


def _stated(path: Path, found: os.stat_result) -> ListedFile:
    """A pipe or a device is another one each time."""
    stamp = str(found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else ""
    return ListedFile(path, found.st_size, stamp, found.st_mtime_ns)
