"""The instant that a capture counts from, out of the beginnings of its lines.

Writers put what a line is before its events: of a large file only some places are looked at. A
file that is written otherwise, packed or damaged is gone through as whoever decodes it does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tfprof.sources.files.opener import is_packed
from tfprof.sources.files.reader import FileReader
from tfprof.sources.xplane.xplane import began_ns, counted_from_base, earliest, origin_by_lines
from tfprof.wire.riegeli import is_riegeli

_PLANES, _NAME, _LINES, _TIMESTAMP, _EVENTS = 1, 2, 3, 3, 4
_ENVIRONMENT = b"Task Environment"
_WINDOW = 1 << 16
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
# more than any plane that only states facts
_FACTS = 1 << 20


class _OddError(Exception):
    """Nothing that a writer of captures does."""


def origin_ns(path: Path) -> int:
    try:
        file = FileReader(path)
        if is_packed(path) or is_riegeli(file.read_at(0, 64)):
            return origin_by_lines(path)
        return _Beginnings(file).origin()
    except _OddError:
        return origin_by_lines(path)


class _Beginnings:
    def __init__(self, file: FileReader) -> None:
        self._file = file
        self._at, self._window = 0, b""

    def origin(self) -> int:
        bases: list[int] = []
        began = 0
        for number, start, end in self._fields(0, self._file.size):
            if number != _PLANES:
                continue
            name, own = self._plane(start, end)
            bases += own
            if name == _ENVIRONMENT and not began and end - start < _FACTS:
                began = began_ns(self._file.read_at(start, end - start), self._file.path)
        return counted_from_base(earliest(np.array(bases, np.int64))[0], began)

    def _plane(self, start: int, end: int) -> tuple[bytes, list[int]]:
        """Its name, and the bases of its lines with events."""
        name, bases = b"", []
        for number, begin, stop in self._fields(start, end):
            if number == _NAME and stop - begin == len(_ENVIRONMENT):
                name = self._bytes(begin, stop - begin)
            elif number == _LINES:
                base = self._base(begin, stop)
                bases += [] if base is None else [base]
        return name, bases

    def _base(self, start: int, end: int) -> int | None:
        """None of a line without events."""
        base: int | None = None
        for number, begin, stop in self._fields(start, end):
            if number == _TIMESTAMP:
                base, _ = self._varint(begin, stop)
            elif number == _EVENTS:
                if base is None:
                    raise _OddError
                return base if base < 1 << 63 else base - (1 << 64)
        return None

    def _fields(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Number and place of each field between two places."""
        at = start
        while at < end:
            tag, at = self._varint(at, end)
            kind, begin = tag & 7, at
            if kind == _VARINT:
                _, at = self._varint(at, end)
            elif kind == _BYTES:
                size, begin = self._varint(at, end)
                at = begin + size
            elif kind in (_FIXED32, _FIXED64):
                at += 4 if kind == _FIXED32 else 8
            else:
                raise _OddError
            if at > end:
                raise _OddError
            yield tag >> 3, begin, at

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        value = 0
        for shift in range(0, 70, 7):
            if at >= end:
                break
            place = at - self._at
            if not 0 <= place < len(self._window):
                self._at, self._window = at, self._file.read_at(at, _WINDOW)
                place = 0
            if not self._window:
                break
            byte = self._window[place]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, at
        raise _OddError

    def _bytes(self, at: int, size: int) -> bytes:
        return self._file.read_at(at, size)
