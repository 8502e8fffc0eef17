"""A .keras file is a zip that anyone may have made: what looks like a trick is refused."""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from tfprof.errors import CorruptFile, UnsafeFile

_MOST_JSON = 256 << 20
_MOST_EXPANSION = 200
_SMALL = 16 << 20
_PICKLES = re.compile(r".*\.(pkl|pickle|joblib|dill|pt|pth)", re.IGNORECASE)
_PICKLE_START = re.compile(rb"\x80[\x02-\x05]")
_LOCAL_HEADER = 30
_ZIP_FAULTS = (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError)


class KerasArchive:
    """An open archive whose members have been looked over."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except _ZIP_FAULTS as fault:
            raise CorruptFile(
                f"the zip archive cannot be opened ({fault})", offset=0, where=str(path)
            ) from None
        for member in self._zip.infolist():
            self._look_over(member)

    def _look_over(self, member: zipfile.ZipInfo) -> None:
        name = member.filename
        inside = PurePosixPath(name.replace("\\", "/"))
        if inside.is_absolute() or ".." in inside.parts or ":" in name:
            self._refuse(f"its member {name!r} points outside the archive")
        if _PICKLES.fullmatch(name):
            self._refuse(f"its member {name!r} is a pickle, which can run code")
        if member.file_size > _SMALL and member.file_size > _MOST_EXPANSION * member.compress_size:
            self._refuse(f"its member {name!r} unpacks to {member.file_size:,} bytes")

    def _refuse(self, why: str) -> None:
        raise UnsafeFile(f"refused: {why}", where=str(self.path))

    @property
    def names(self) -> list[str]:
        return self._zip.namelist()

    def read(self, name: str) -> bytes:
        """A small member, whole."""
        if self._zip.getinfo(name).file_size > _MOST_JSON:
            self._refuse(f"its member {name!r} is too large for what it should be")
        try:
            data = self._zip.read(name)
        except (*_ZIP_FAULTS, zlib.error, lzma.LZMAError) as fault:
            raise CorruptFile(
                f"the member {name!r} is damaged ({fault})", offset=0, where=str(self.path)
            ) from None
        if _PICKLE_START.match(data):
            self._refuse(f"its member {name!r} is a pickle, which can run code")
        return data

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """A large member to seek in: in place if it is stored as it is, else unpacked."""
        member = self._zip.getinfo(name)
        if member.compress_type != zipfile.ZIP_STORED:
            yield io.BytesIO(self.read(name))
            return
        with self.path.open("rb") as file:
            file.seek(member.header_offset)
            header = file.read(_LOCAL_HEADER)
            skipped = int.from_bytes(header[26:28], "little") + int.from_bytes(
                header[28:30], "little"
            )
            yield io.BufferedReader(
                _Part(file, member.header_offset + _LOCAL_HEADER + skipped, member.file_size)
            )


class _Part(io.RawIOBase):
    """A stretch of a file as a file of its own."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file, self._start, self._size = file, start, size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        size = max(0, min(len(buffer), self._size - self._at))
        self._file.seek(self._start + self._at)
        data = self._file.read(size)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
