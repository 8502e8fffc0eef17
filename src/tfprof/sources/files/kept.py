"""Bytes that come only once, or packed: kept in a file without a name, to be read at any place.

A file without a name is gone with the process, however that ends.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import BinaryIO

from tfprof.wire.mapped import Mapped

# what has more bytes than this stays in its file, or is put into one
MAPPED_FROM = 1 << 25


class Kept:
    def __init__(self, chunks: Iterable[bytes]) -> None:
        import tempfile  # seldom needed, and it loads much

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
        return stream_of(self.read_at, self.size)


def stream_of(read_at: Callable[[int, int], bytes], size: int) -> BinaryIO:
    """What can be read at any place, as a file."""
    return io.BufferedReader(_Reader(read_at, size))


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
    """A place of its own."""

    def __init__(self, read_at: Callable[[int, int], bytes], size: int) -> None:
        self._read_at = read_at
        self._size = size
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
        data = self._read_at(self._at, len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
