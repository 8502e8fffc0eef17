"""The files in a saved profile, opened like any other: `model.tfprof/graph.pb`."""

from __future__ import annotations

import errno
import io
from collections import OrderedDict
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from tfprof.errors import ValuesNotSaved
from tfprof.sources.files.inflation import MOST_TEXT
from tfprof.sources.files.kept import MAPPED_FROM, Kept
from tfprof.sources.files.opener import FileFacts, opener_for
from tfprof.sources.saved.archive import SavedArchive
from tfprof.sources.saved.beginning import HEAD_SIZE, NAME, is_saved
from tfprof.sources.saved.manifest import Manifest, SavedFile, decoded
from tfprof.wire.mapped import Mapped

# files that are held unpacked; of others, what is asked for again is unpacked again
_HELD: Final = 16
# of these, as many as fit into memory with room to spare
_HELD_BYTES: Final = 1 << 29


# of these, so many stay open; who looks into more of them in turns unpacks again
_KEPT_OPEN: Final = 8


class SavedMembers:
    """An opener of what is in one saved profile. A file is unpacked when somebody reads it."""

    def __init__(self, path: Path, facts: FileFacts) -> None:
        self.path = path
        self.archive_facts = facts
        self._archive = SavedArchive(path)
        member = self._archive.members.get(NAME)
        if member is not None and member.size > MOST_TEXT:
            raise self._archive.damaged(NAME, member.offset, "is too large for what it should be")
        self.manifest: Manifest = decoded(b"".join(self._archive.unpacked(NAME)), str(path))
        self._files = {PurePosixPath(one.name): one for one in self.manifest.files if one.member}
        self._folders = {above for name in self._files for above in name.parents}
        self._held: OrderedDict[str, bytes | Kept] = OrderedDict()

    def absolute(self, path: Path, folder: Path) -> Path:
        return opener_for(self.path).absolute(path, folder)

    def exists(self, path: Path) -> bool:
        name = self._name(path)
        return name in self._files or name in self._folders

    def is_folder(self, path: Path) -> bool:
        return self._name(path) in self._folders

    def real(self, path: Path) -> Path:
        return opener_for(self.path).real(self.path) / self._name(path)

    def facts(self, path: Path) -> FileFacts:
        """As old as the file they are in: if that is written again, they are others."""
        return FileFacts(self._file(path).size, self.archive_facts.modified_ns)

    def listed(self, folder: Path) -> tuple[list[str], list[str]]:
        here = self._name(folder)
        if here not in self._folders:
            raise FileNotFoundError(errno.ENOENT, "no such folder", str(folder))
        folders = sorted(one.name for one in self._folders if one.parent == here and one.name)
        return folders, sorted(one.name for one in self._files if one.parent == here)

    def read(self, path: Path) -> bytes:
        file = self._file(path)
        if file.kept is not None:
            raise _not_saved(path)
        held = self._unpacked(file)
        return held if isinstance(held, bytes) else held.read_at(0, held.size)

    def read_at(self, path: Path, offset: int, size: int) -> bytes:
        file = self._file(path)
        held = self._unpacked(file)
        if file.kept is not None:
            offset, size = _place_of(path, file, offset, size)
        return (
            held[offset : offset + size] if isinstance(held, bytes) else held.read_at(offset, size)
        )

    def stream(self, path: Path) -> BinaryIO:
        file = self._file(path)
        if file.kept is not None:
            raise _not_saved(path)
        held = self._unpacked(file)
        return io.BytesIO(held) if isinstance(held, bytes) else held.stream()

    def mapped(self, path: Path) -> Mapped | None:
        file = self._file(path)
        held = self._unpacked(file) if file.kept is None and file.size >= MAPPED_FROM else None
        return held.mapped(str(path)) if isinstance(held, Kept) else None

    def _name(self, path: Path) -> PurePosixPath:
        return PurePosixPath(path.relative_to(self.path).as_posix())

    def _file(self, path: Path) -> SavedFile:
        found = self._files.get(self._name(path))
        if found is None:
            raise FileNotFoundError(errno.ENOENT, "no such file in it", str(path))
        return found

    def _unpacked(self, file: SavedFile) -> bytes | Kept:
        held = self._held.get(file.member)
        if held is None:
            self._archive.check_size(file.member, _stored_size(file))
            pieces = self._archive.unpacked(file.member)
            held = b"".join(pieces) if _stored_size(file) < MAPPED_FROM else Kept(pieces)
            self._held[file.member] = held
            self._let_go()
        self._held.move_to_end(file.member)
        return held

    def _let_go(self) -> None:
        """Of those that were not asked for the longest; that in use stays."""
        while len(self._held) > 1 and (len(self._held) > _HELD or self._in_memory() > _HELD_BYTES):
            self._held.popitem(last=False)

    def _in_memory(self) -> int:
        return sum(len(one) for one in self._held.values() if isinstance(one, bytes))


def _stored_size(file: SavedFile) -> int:
    return file.size if file.kept is None else sum(end - begin for begin, end in file.kept)


def _place_of(path: Path, file: SavedFile, offset: int, size: int) -> tuple[int, int]:
    """Where a stretch of the whole file lies among those that were saved; it ends where they do."""
    before = 0
    for begin, end in file.kept or ():
        if begin <= offset < end:
            return before + offset - begin, min(size, end - offset)
        before += end - begin
    if not size:
        return 0, 0
    raise _not_saved(path)


def _not_saved(path: Path) -> ValuesNotSaved:
    return ValuesNotSaved(
        "the profile was saved without the values of tensors",
        where=str(path),
        hint="Save it again from its files: tfprof save --values",
    )


_OPENED: dict[Path, SavedMembers] = {}


def members_of(path: Path) -> SavedMembers | None:
    """What is in a saved profile; None of any other file."""
    opener = opener_for(path)
    facts = opener.facts(path)
    if facts.comes_once:  # nobody has named it
        return None
    key = path.absolute()
    known = _OPENED.pop(key, None)
    if known is None or known.path != path or known.archive_facts != facts:
        if not is_saved(opener.read_at(path, 0, HEAD_SIZE)):
            return None
        known = SavedMembers(path, facts)
    _OPENED[key] = known  # the last one is that of now
    while len(_OPENED) > _KEPT_OPEN:
        del _OPENED[next(iter(_OPENED))]
    return known
