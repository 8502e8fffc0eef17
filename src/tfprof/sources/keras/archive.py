"""A .keras file is a zip that anyone may have made: what looks like a trick is refused."""

from __future__ import annotations

import lzma
import re
import zipfile
import zlib
from os import SEEK_END
from pathlib import Path, PurePosixPath
from typing import Self

from tfprof.errors import AccessDenied, CorruptFile, UnsafeFile
from tfprof.sources.files.inflation import MOST_TEXT, MOST_WEIGHTS, inflation_budget
from tfprof.sources.files.opener import opener_for
from tfprof.sources.files.stretch import Stretch

_PICKLES = re.compile(r".*\.(pkl|pickle|joblib|dill|pt|pth)", re.IGNORECASE)
_PICKLE_START = re.compile(rb"\x80[\x02-\x05]")
_LOCAL_HEADER = 30
_ZIP_FAULTS = (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError)


class KerasArchive:
    """An open archive whose members have been looked over."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = opener_for(path).stream(path)
        except OSError as fault:
            raise AccessDenied.because(fault, str(path)) from None
        try:
            self._zip = zipfile.ZipFile(self._file)
            self._size = self._file.seek(0, SEEK_END)
            for member in self._zip.infolist():
                self._look_over(member)
        except _ZIP_FAULTS as fault:
            self._file.close()
            raise CorruptFile(
                f"the zip archive cannot be opened ({fault})", offset=0, where=str(path)
            ) from None
        except UnsafeFile:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _look_over(self, member: zipfile.ZipInfo) -> None:
        name = member.filename
        inside = PurePosixPath(name.replace("\\", "/"))
        if inside.is_absolute() or ".." in inside.parts or ":" in name:
            self._refuse(f"its member {name!r} points outside the archive")
        if _PICKLES.fullmatch(name):
            self._refuse(f"its member {name!r} is a pickle, which can run code")
        if not 0 <= member.header_offset <= self._size - member.compress_size:
            raise zipfile.BadZipFile(f"its member {name!r} is not all there")
        budget = inflation_budget(member.compress_size)
        if not budget.take(member.file_size):
            self._refuse(f"its member {name!r} unpacks to {member.file_size:,} bytes")

    def _refuse(self, why: str) -> None:
        raise UnsafeFile(f"refused: {why}", where=str(self.path))

    @property
    def names(self) -> list[str]:
        return self._zip.namelist()

    def read(self, name: str, most: int = MOST_TEXT) -> bytes:
        """A small member, whole."""
        size = self._zip.getinfo(name).file_size
        if size > most:
            self._refuse(f"its member {name!r} is too large for what it should be")
        try:
            # no more than it says: without a size, whatever it unpacks to would be unpacked
            with self._zip.open(name) as member:
                data = member.read(size)
        except (*_ZIP_FAULTS, zlib.error, lzma.LZMAError) as fault:
            raise CorruptFile(
                f"the member {name!r} is damaged ({fault})", offset=0, where=str(self.path)
            ) from None
        if _PICKLE_START.match(data):
            self._refuse(f"its member {name!r} is a pickle, which can run code")
        return data

    def member(self, name: str) -> Stretch | bytes:
        """A large member to seek in: where it lies if it is stored as it is, else unpacked."""
        found = self._zip.getinfo(name)
        if found.compress_type != zipfile.ZIP_STORED:
            return self.read(name, MOST_WEIGHTS)
        self._file.seek(found.header_offset)
        header = self._file.read(_LOCAL_HEADER)
        skipped = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        return Stretch(self.path, found.header_offset + _LOCAL_HEADER + skipped, found.file_size)
