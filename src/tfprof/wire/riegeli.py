"""Riegeli's records, the form that captures of over 2 GB are written in.

The file is a row of chunks, each with a header of 40 bytes; every 64 KiB a header of a block stands
in between, for readers that begin in the middle. Hashes are not checked: the records are messages,
and damage shows in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.wire.fields import WireFault, varint
from tfprof.wire.mapped import look

MAGIC = bytes.fromhex("83af70d10d884a3f")
_BLOCK, _BLOCK_HEADER, _CHUNK_HEADER = 1 << 16, 24, 40
_INSIDE = _BLOCK - _BLOCK_HEADER
_RECORDS, _TRANSPOSED = ord("r"), ord("t")
_PASSED_OVER = frozenset(b"smp")  # signature, metadata of the file, padding

Unpack = Callable[[bytes], bytes]


class NotReadable(Exception):
    """A way to write records that is valid, and that nobody here reads."""


@frozen_dataclass
class _Chunk:
    kind: int
    count: int
    data: bytes
    at: int


def is_riegeli(head: bytes) -> bool:
    return head.startswith(MAGIC)


def records(data: bytes, unpackers: Mapping[int, Unpack]) -> Iterator[bytes]:
    """The records in order; `unpackers` by the letter of each compression that is known.

    A WireFault where the bytes contradict the format, with `early_end` where they only end.
    """
    for chunk in _chunks(_WithoutBlockHeaders(data)):
        if chunk.kind == _RECORDS:
            yield from _simple(chunk, unpackers)
        elif chunk.kind == _TRANSPOSED:
            raise NotReadable("its records are transposed")
        elif chunk.kind not in _PASSED_OVER:
            raise WireFault(f"no kind of chunk is called {chr(chunk.kind)!r}", _in_file(chunk.at))


@frozen_dataclass
class _WithoutBlockHeaders:
    """The bytes of a file as if it had no headers of blocks; only what is cut out is copied."""

    data: bytes

    @property
    def size(self) -> int:
        whole, rest = divmod(len(self.data), _BLOCK)
        return whole * _INSIDE + max(0, rest - _BLOCK_HEADER)

    def cut(self, begin: int, end: int) -> bytes:
        pieces = []
        while begin < end:
            at = _in_file(begin)
            size = min(end - begin, _INSIDE - begin % _INSIDE)
            look(self.data, at, at + size)
            pieces.append(self.data[at : at + size])
            begin += size
        return b"".join(pieces)


def _in_file(at: int) -> int:
    """Where a place without the headers of blocks is in the file."""
    return at // _INSIDE * _BLOCK + _BLOCK_HEADER + at % _INSIDE


def _chunks(data: _WithoutBlockHeaders) -> Iterator[_Chunk]:
    at = 0
    while at < data.size:
        begin = at + _CHUNK_HEADER
        if begin > data.size:
            raise WireFault("the header of a chunk is cut off", _in_file(at), early_end=True)
        header = data.cut(at, begin)
        size = int.from_bytes(header[8:16], "little")
        count = int.from_bytes(header[25:32], "little")
        if begin + size > data.size:
            raise WireFault("a chunk is cut off", _in_file(at), early_end=True)
        yield _Chunk(header[24], count, data.cut(begin, begin + size), at)
        at = begin + size


def _simple(chunk: _Chunk, unpackers: Mapping[int, Unpack]) -> Iterator[bytes]:
    """The sizes of all records, then the records, each half packed for itself."""
    data, at = chunk.data, _in_file(chunk.at)
    try:
        packing = data[0]
        length, begin = varint(data, 1)
    except IndexError:
        raise WireFault("a chunk of records has no sizes", at) from None
    sizes = _unpacked(data[begin : begin + length], packing, unpackers, at)
    values = _unpacked(data[begin + length :], packing, unpackers, at)
    place = end = 0
    for _ in range(chunk.count):
        try:
            size, place = varint(sizes, place)
        except (IndexError, WireFault):
            raise WireFault("a chunk has fewer records than it says", at) from None
        if end + size > len(values):
            raise WireFault("a record is longer than its chunk", at)
        yield values[end : end + size]
        end += size


def _unpacked(data: bytes, packing: int, unpackers: Mapping[int, Unpack], at: int) -> bytes:
    if packing == 0:
        return data
    if packing not in unpackers:
        raise WireFault(f"no compression is called {chr(packing)!r}", at)
    try:
        size, begin = varint(data, 0)
    except (IndexError, WireFault):
        raise WireFault("packed records have no size", at) from None
    out = unpackers[packing](data[begin:])
    if len(out) != size:
        raise WireFault(f"packed records hold {len(out)} bytes, not {size}", at)
    return out
