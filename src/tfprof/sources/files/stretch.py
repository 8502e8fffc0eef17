"""A stretch of a file as a file of its own."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.opener import opener_for


@frozen_dataclass
class Stretch:
    """From byte `start` on, `size` bytes; None: to the end of the file."""

    path: Path
    start: int = 0
    size: int | None = None

    @contextmanager
    def stream(self) -> Iterator[BinaryIO]:
        with opener_for(self.path).stream(self.path) as file:
            if self.size is None:
                yield file
            else:
                yield io.BufferedReader(_Part(file, self.start, self.size))


class _Part(io.RawIOBase):
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
