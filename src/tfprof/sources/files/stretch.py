"""A stretch of a file as a file of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.kept import stream_of
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
                yield stream_of(partial(_piece, file, self.start, self.size), self.size)


def _piece(file: BinaryIO, start: int, size: int, at: int, wanted: int) -> bytes:
    file.seek(start + at)
    return file.read(max(0, min(wanted, size - at)))
