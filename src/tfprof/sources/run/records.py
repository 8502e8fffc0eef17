"""Record files (TFRecord framing): length, its checksum, the bytes, their checksum."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.reader import FileReader
from tfprof.wire.crc32c import crc32c, crc32c_many, masked
from tfprof.wire.fields import Progress

Ints = npt.NDArray[np.int64]

_LENGTH_BYTES, _CRC_BYTES = 8, 4
_HEADER = _LENGTH_BYTES + _CRC_BYTES
_WINDOW = 1 << 24
# records below this are checked together, larger ones on their own
_SMALL = 1 << 12


@frozen_dataclass
class End:
    """Why reading stopped: at the end of the file, in a record that is not whole, or a bad one."""

    offset: int
    why: str = ""


def read_records(path: Path, progress: Progress | None = None) -> Iterator[tuple[int, bytes] | End]:
    """Offset and bytes of each record, all checksums verified; the last item is the End."""
    reader = FileReader(path)
    position = 0
    while position < reader.size:
        window = reader.read_at(position, max(_WINDOW, _needed(reader, position)))
        starts, ends = _frames(window)
        good = _first_bad(window, starts, ends)
        for begin, end in zip(starts[:good].tolist(), ends[:good].tolist(), strict=True):
            yield position + begin - _HEADER, window[begin:end]
        if good < len(starts):
            yield End(position + int(starts[good]) - _HEADER, "a record's checksum is wrong")
            return
        if not len(starts):
            yield End(position, "a record is not whole")
            return
        position += int(ends[-1]) + _CRC_BYTES
        if progress is not None:
            progress(position)
    yield End(position)


def _needed(reader: FileReader, position: int) -> int:
    """The size of the next record, if its length can be believed."""
    header = reader.read_at(position, _HEADER)
    if not _length_holds(header):
        return 0
    size = int.from_bytes(header[:_LENGTH_BYTES], "little") + _HEADER + _CRC_BYTES
    return size if position + size <= reader.size else 0


def _length_holds(header: bytes) -> bool:
    stored = int.from_bytes(header[_LENGTH_BYTES:_HEADER], "little")
    return len(header) == _HEADER and masked(crc32c(header[:_LENGTH_BYTES])) == stored


def _frames(window: bytes) -> tuple[Ints, Ints]:
    """Where the whole records of the window lie, as far as their lengths lead."""
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    while position + _HEADER <= len(window):
        size = int.from_bytes(window[position : position + _LENGTH_BYTES], "little")
        end = position + _HEADER + size
        if end + _CRC_BYTES > len(window):
            break
        starts.append(position + _HEADER)
        ends.append(end)
        position = end + _CRC_BYTES
    return np.array(starts, np.int64), np.array(ends, np.int64)


def _first_bad(window: bytes, starts: Ints, ends: Ints) -> int:
    """How many records from the first on have right checksums, of length and of bytes."""
    if not len(starts):
        return 0
    buffer = np.frombuffer(window, np.uint8)
    lengths = starts - _HEADER
    right = _stored(buffer, lengths + _LENGTH_BYTES) == _masked(
        crc32c_many(buffer, lengths, lengths + _LENGTH_BYTES)
    )
    sums = np.zeros(len(starts), np.uint32)
    small = np.flatnonzero(ends - starts < _SMALL)
    sums[small] = crc32c_many(buffer, starts[small], ends[small])
    for row in np.flatnonzero(ends - starts >= _SMALL).tolist():
        sums[row] = crc32c(buffer[int(starts[row]) : int(ends[row])])
    right &= _stored(buffer, ends) == _masked(sums)
    wrong = np.flatnonzero(~right)
    return int(wrong[0]) if len(wrong) else len(starts)


def _stored(buffer: npt.NDArray[np.uint8], at: Ints) -> npt.NDArray[np.uint32]:
    stored = np.zeros(len(at), np.uint32)
    for place in range(_CRC_BYTES):
        stored |= buffer[at + place].astype(np.uint32) << np.uint32(8 * place)
    return stored


def _masked(sums: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    return np.array([masked(crc) for crc in sums.tolist()], np.uint32)
