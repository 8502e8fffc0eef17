"""Bytes that come only once, or packed: kept in a file without a name, to be read at any place.

A file without a name is gone with the process, however that ends.
"""

from __future__ import annotations

import io
import tempfile
import threading
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO

from tfprof.wire.mapped import Mapped

# what has more bytes than this stays in its file, or is put into one
MAPPED_FROM = 1 << 27


class Kept:
    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as this does)
        self._lock = threading.Lock()
        self.size = 0
        for chunk in chunks:
            self._file.write(chunk)
            self.size += len(chunk)
        self._file.flush()

    def __del__(self) -> None:
        self._file.close()

    def read_at(self, offset: int, size: int) -> bytes:
        with self._lock:
            self._file.seek(offset)
            return self._file.read(min(size, max(0, self.size - offset)))

    def mapped(self, where: str) -> Mapped:
        """As if it were in memory; this may be gone then."""
        return Mapped.of(self._file.fileno(), self.size, where)

    def stream(self) -> BinaryIO:
        return io.BufferedReader(_Reader(self))


def joined(pieces: Iterator[bytes], where: str) -> bytes | Mapped:
    """All of them, in memory as long as there are few bytes."""
    found: list[bytes] = []
    size = 0
    for piece in pieces:
        found.append(piece)
        size += len(piece)
        if size >= MAPPED_FROM:
            return Kept(chain(_emptied(found), pieces)).mapped(where)
    return b"".join(found)


def _emptied(pieces: list[bytes]) -> Iterator[bytes]:
    pieces.reverse()
    while pieces:
        yield pieces.pop()


class _Reader(io.RawIOBase):
    """A place of its own in what is kept."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._kept.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._kept.read_at(self._at, len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
