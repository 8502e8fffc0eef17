"""The one place that touches files: all that is read goes through what is here.

A path says by its scheme who opens it; without one, it is a file of this machine, or lies in one
that is entered like a folder.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, runtime_checkable

from tfprof.errors import WrongKind
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.kept import MAPPED_FROM, Kept
from tfprof.wire.mapped import Mapped

# `-`, as the system calls it
STDIN = Path("/dev/stdin")
_PIPED = Path("-")
_LOCAL_SCHEME = "file:"


@frozen_dataclass
class FileFacts:
    """`comes_once`: a pipe or a device, which is read only where it is named."""

    size: int
    modified_ns: int
    comes_once: bool = False

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

    def real(self, path: Path) -> Path:
        """Where a path leads: the same for all that lead to one place."""
        ...

    def facts(self, path: Path) -> FileFacts: ...

    def listed(self, folder: Path) -> tuple[list[str], list[str]]:
        """The names of the folders and of the files in a folder."""
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


@runtime_checkable
class Maps(Protocol):
    """An opener that can show a large file as if it were in memory."""

    def mapped(self, path: Path) -> Mapped | None: ...


@runtime_checkable
class Admits(Protocol):
    """An opener whose addresses may hold what opens doors."""

    def admitted(self, path: Path) -> Path: ...


@runtime_checkable
class Reached(Protocol):
    """An opener whose files other processes may find under the same paths."""

    def is_reached_elsewhere(self, path: Path) -> bool: ...


@runtime_checkable
class Forgets(Protocol):
    """An opener that keeps copies of files it unpacked or brought here."""

    def forget(self, folder: Path) -> None: ...


class LocalFiles:
    """The files of this machine. Packed ones are seen unpacked, pipes as if they were files."""

    def __init__(self) -> None:
        self._kept: dict[Path, tuple[Hashable, Kept]] = {}

    def absolute(self, path: Path, folder: Path) -> Path:
        return folder / path

    def exists(self, path: Path) -> bool:
        return _found(path) is not None

    def is_folder(self, path: Path) -> bool:
        found = _found(path)
        return found is not None and stat.S_ISDIR(found.st_mode)

    def real(self, path: Path) -> Path:
        return Path(os.path.realpath(path))

    def facts(self, path: Path) -> FileFacts:
        found = path.stat()
        if _comes_once(found) and path not in self._kept:
            return FileFacts(0, found.st_mtime_ns, comes_once=True)
        kept = self._kept_of(path)
        return FileFacts(found.st_size if kept is None else kept.size, found.st_mtime_ns)

    def listed(self, folder: Path) -> tuple[list[str], list[str]]:
        folders, files = list[str](), list[str]()
        with os.scandir(folder) as entries:
            for entry in entries:
                (folders if _leads_to_folder(entry) else files).append(entry.name)
        return folders, files

    def read(self, path: Path) -> bytes:
        kept = self._kept_of(path)
        return path.read_bytes() if kept is None else kept.read_at(0, kept.size)

    def read_at(self, path: Path, offset: int, size: int) -> bytes:
        kept = self._kept_of(path)
        if kept is not None:
            return kept.read_at(offset, size)
        with path.open("rb") as file:
            # memory for what is there, not for what a file says that it has
            there = file.seek(0, os.SEEK_END) - offset
            file.seek(offset)
            return file.read(min(size, max(0, there)))

    def mapped(self, path: Path) -> Mapped | None:
        """As if it were in memory; None if it may be taken there."""
        kept = self._kept_of(path)
        if kept is not None:
            return kept.mapped(str(path)) if kept.size >= MAPPED_FROM else None
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            return Mapped.of(file.fileno(), size, str(path)) if size >= MAPPED_FROM else None

    def stream(self, path: Path) -> BinaryIO:
        kept = self._kept_of(path)
        return path.open("rb") if kept is None else kept.stream()

    def is_reached_elsewhere(self, path: Path) -> bool:
        """What is piped in is nobody else's."""
        found = _found(path)
        return found is not None and not _comes_once(found)

    def forget(self, folder: Path) -> None:
        """What was unpacked of a folder: each of them is an open file."""
        for path in [one for one in self._kept if one.is_relative_to(folder)]:
            del self._kept[path]

    def _kept_of(self, path: Path) -> Kept | None:
        """What stands for a file that cannot be read at any place as it is."""
        found = path.stat()
        if not _comes_once(found) and not is_packed(path):
            return None
        same: Hashable = found.st_ino
        if not _comes_once(found):
            same = (found.st_ino, found.st_size, found.st_mtime_ns)
        before = self._kept.get(path)
        if before is None or before[0] != same:
            before = self._kept[path] = same, Kept(_pieces(path, found))
        return before[1]


def _found(path: Path) -> os.stat_result | None:
    """None where there is nothing; a place that may not be looked at is an error."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # of a NUL in the name
        return None


def _comes_once(found: os.stat_result) -> bool:
    return not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode)


def is_packed(path: Path) -> bool:
    """By its name, and without one maybe.

    A trace for a viewer has a reader of its own, which unpacks as it goes.
    """
    name = path.name.lower()
    return path == STDIN or (name.endswith(".gz") and not name.endswith(".json.gz"))


def _pieces(path: Path, found: os.stat_result) -> Iterator[bytes]:
    """Unpacked, if it is packed."""
    if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
        hint = "Pipe a file into it, or name one." if path == STDIN else "Name a file or a folder."
        raise WrongKind("this is a terminal or a device, no file", where=str(path), hint=hint)
    from tfprof.sources.files import gzip_data  # most files are neither packed nor piped

    # what is there may be nobody's to open by its name
    with os.fdopen(os.dup(0), "rb") if path == STDIN else path.open("rb") as file:
        if file.peek(2)[:2] == gzip_data.MAGIC:
            yield from gzip_data.unpacked(gzip_data.chunks_of(file), str(path))
        else:
            yield from gzip_data.chunks_of(file)


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads nowhere
        return False


def mapped(path: Path) -> Mapped | None:
    """A large file that its opener can map; None of any other."""
    opener = opener_for(path)
    return opener.mapped(path) if isinstance(opener, Maps) else None


def forget(folder: Path) -> None:
    """Whoever reads many runs is done with this one."""
    opener = opener_for(folder)
    if isinstance(opener, Forgets):
        opener.forget(folder)


def is_reached_elsewhere(path: Path) -> bool:
    """Whether another process can be told to read it."""
    opener = opener_for(path)
    return isinstance(opener, Reached) and opener.is_reached_elsewhere(path)


def is_plain(path: Path) -> bool:
    """Whether another process finds the same bytes under this path."""
    found = _found(path) if opener_for(path) is _LOCAL else None
    return found is not None and stat.S_ISREG(found.st_mode) and not is_packed(path)


def is_remote(path: Path) -> bool:
    """Whether it lies in a store, and not on this machine."""
    return bool(_store(path))


def spelt(path: Path) -> Path:
    """What somebody named, as a path: `-` is what is piped in, an address loses its secrets."""
    if path == _PIPED:
        return STDIN
    if path.parts and path.parts[0] == _LOCAL_SCHEME:
        return Path("/", *path.parts[1:])
    opener = opener_for(path)
    return opener.admitted(path) if isinstance(opener, Admits) else path


def here() -> Path:
    """The folder that paths are seen from; it may have been deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path()


_LOCAL = LocalFiles()
# by scheme, `mem` for mem:/graph.pb
_OPENERS: dict[str, Opener] = {}
# those that are opened by libraries, which are loaded when somebody names one
_STORES = frozenset({
    "abfs", "abfss", "adl", "az", "ftp", "gcs", "gs", "hdfs", "http", "https", "memory", "oci",
    "oss", "s3", "s3a", "sftp", "smb", "webhdfs",
})  # fmt: skip


def plug(scheme: str, opener: Opener) -> None:
    """Have the paths of a scheme opened by `opener`; two for one scheme are a mistake."""
    if scheme in _OPENERS:
        raise ValueError(f"there is an opener for {scheme}: already")
    _OPENERS[scheme] = opener


def unplug(scheme: str) -> None:
    del _OPENERS[scheme]


# who opens what is in a file, if it is one of theirs
Enters = Callable[[Path], "Opener | None"]
_ENTERS: list[Enters] = []
_ENTERED_SUFFIX = ".tfprof"


def enter_with(enters: Enters) -> None:
    """Some files are entered like folders."""
    _ENTERS.append(enters)


def _store(path: Path) -> str:
    """The scheme of a path in a store; a folder of this machine may be called `s3:`, too."""
    scheme, colon, rest = (path.parts[0] if path.parts else "").partition(":")
    is_one = colon and not rest and scheme in _STORES
    return scheme if is_one and not os.path.lexists(path.parts[0]) else ""


def opener_for(path: Path) -> Opener:
    scheme, colon, _ = (path.parts[0] if path.parts else "").partition(":")
    if colon and scheme in _OPENERS:
        return _entered_there(path) or _OPENERS[scheme]
    if _store(path):
        from tfprof.sources.files.stores import store_of

        plug(scheme, store_of(scheme))
        return opener_for(path)
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return _entered(path) or _LOCAL
    except (OSError, ValueError):  # whoever reads it says so
        return _LOCAL
    return _LOCAL


def _entered_there(path: Path) -> Opener | None:
    """The same in a store, where asking what is a file takes its time: the name has to say it."""
    above = next((one for one in path.parents if one.suffix.lower() == _ENTERED_SUFFIX), None)
    return None if above is None else _who_enters(above)


def _entered(path: Path) -> Opener | None:
    """Who opens a path that leads into a file."""
    above = next((one for one in path.parents if os.path.lexists(one)), None)
    return None if above is None or above.is_dir() else _who_enters(above)


def _who_enters(above: Path) -> Opener | None:
    from tfprof.sources.files import every_format  # noqa: F401  (who enters says so there)

    try:
        found = (enters(above) for enters in _ENTERS)
        return next((one for one in found if one is not None), None)
    except OSError:  # whoever reads it says so
        return None
