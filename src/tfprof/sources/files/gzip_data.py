"""Packed data, unpacked piece by piece and up to a limit: a few bytes can stand for any number."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from tfprof.errors import CorruptFile, UnsafeFile
from tfprof.sources.files.inflation import inflation_budget

MAGIC = b"\x1f\x8b"
_FRAME = 31  # zlib's number for gzip
_CHUNK = 1 << 20
# zlib copies what is left behind the end of each packed file: of a million small ones, little
_SLICE = 1 << 14
_MOST = 16 << 30
_HINT = "Copy or write the file again."


def chunks_of(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def unpacked(chunks: Iterable[bytes], where: str, *, may_be_cut: bool = False) -> Iterator[bytes]:
    """What gzip data holds; several files may stand one behind the other, and zeros behind them.

    Of data that is cut, `may_be_cut` gives what there is: whoever reads it misses the rest.
    """
    return _gathered(_pieces(chunks, where, may_be_cut=may_be_cut))


def _pieces(chunks: Iterable[bytes], where: str, *, may_be_cut: bool) -> Iterator[bytes]:
    inflate = zlib.decompressobj(_FRAME)
    taken, budget = 0, inflation_budget()
    try:
        for packed in _slices(chunks):
            taken += len(packed)
            budget.add(len(packed))
            left = packed
            while left := left.lstrip(b"\0") if inflate.eof else left:
                inflate = zlib.decompressobj(_FRAME) if inflate.eof else inflate
                piece = inflate.decompress(left, _CHUNK)
                if not budget.take(len(piece)) or budget.spent > _MOST:
                    raise _too_much(taken, budget.spent, where)
                yield piece
                left = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
    except zlib.error as fault:
        what = f"the file is damaged: its gzip data cannot be unpacked ({fault})"
        raise CorruptFile(what, offset=max(0, taken - _SLICE), where=where, hint=_HINT) from None
    if not inflate.eof and not may_be_cut:
        what = "the file is damaged: its gzip data ends early"
        raise CorruptFile(what, offset=taken, where=where, hint=_HINT)


def _slices(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for begin in range(0, len(chunk), _SLICE):
            yield chunk[begin : begin + _SLICE]


def _gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Few large ones: whoever reads them does some work for each."""
    held, size = list[bytes](), 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _CHUNK:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


def _too_much(taken: int, given: int, where: str) -> UnsafeFile:
    return UnsafeFile(
        f"{taken:,} bytes of gzip data unpack to over {given:,}",
        where=where,
        hint="If that is meant, unpack the file yourself: gunzip FILE",
    )
