"""The one place that touches files: all that is read goes through what is here.

A path says by its scheme who opens it; without one, it is a file of this machine.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


@dataclass(frozen=True, slots=True)
class FileFacts:
    size: int
    modified_ns: int

    @property
    def modified(self) -> float:
        """In seconds since 1970."""
        return self.modified_ns / 1e9


class Opener(Protocol):
    """What is asked of a store of files. What goes wrong is an OSError, as from the system."""

    def absolute(self, path: Path, folder: Path) -> Path:
        """A path that was seen from `folder`, as it is seen from anywhere."""
        ...

    def exists(self, path: Path) -> bool: ...

    def is_folder(self, path: Path) -> bool: ...

    def facts(self, path: Path) -> FileFacts: ...

    def listed(self, folder: Path) -> tuple[list[str], list[str]]:
        """The names of the folders and of the files in a folder; no link leads to a folder."""
        ...

    def read(self, path: Path) -> bytes:
        """The whole file."""
        ...

    def read_at(self, path: Path, offset: int, size: int) -> bytes:
        """Up to `size` bytes; fewer where the file ends."""
        ...

    def stream(self, path: Path) -> BinaryIO:
        """To read on, and to seek; whoever asks for it closes it."""
        ...


class LocalFiles:
    """The files of this machine."""

    def absolute(self, path: Path, folder: Path) -> Path:
        return folder / path

    def exists(self, path: Path) -> bool:
        return path.exists()

    def is_folder(self, path: Path) -> bool:
        return path.is_dir()

    def facts(self, path: Path) -> FileFacts:
        found = path.stat()
        return FileFacts(found.st_size, found.st_mtime_ns)

    def listed(self, folder: Path) -> tuple[list[str], list[str]]:
        folders, files = [], []
        with os.scandir(folder) as entries:
            for entry in entries:
                if not _leads_to_folder(entry):
                    files.append(entry.name)
                elif not entry.is_symlink():
                    folders.append(entry.name)
        return folders, files

    def read(self, path: Path) -> bytes:
        return path.read_bytes()

    def read_at(self, path: Path, offset: int, size: int) -> bytes:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(size)

    def stream(self, path: Path) -> BinaryIO:
        return path.open("rb")


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads nowhere
        return False


def here() -> Path:
    """The folder that paths are seen from; it may have been deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path()


_LOCAL = LocalFiles()
# by scheme, `mem` for mem:/graph.pb
_OPENERS: dict[str, Opener] = {}


def plug(scheme: str, opener: Opener) -> None:
    """Have the paths of a scheme opened by `opener`; two for one scheme are a mistake."""
    if scheme in _OPENERS:
        raise ValueError(f"there is an opener for {scheme}: already")
    _OPENERS[scheme] = opener


def unplug(scheme: str) -> None:
    del _OPENERS[scheme]


def opener_for(path: Path) -> Opener:
    scheme, colon, _ = (path.parts[0] if path.parts else "").partition(":")
    return _OPENERS.get(scheme, _LOCAL) if colon else _LOCAL
