"""Packed data, unpacked piece by piece and up to a limit: a few bytes can stand for any number."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import BinaryIO

from tfprof.errors import CorruptFile, UnsafeFile
from tfprof.sources.files.inflation import inflation_budget

MAGIC = b"\x1f\x8b"
_FRAME = 31  # zlib's number for gzip
_CHUNK = 1 << 20
_MOST = 16 << 30
_HINT = "Copy or write the file again."


def unpacked(file: BinaryIO, where: str) -> Iterator[bytes]:
    """What a gzip file holds; several may stand one behind the other."""
    inflate = zlib.decompressobj(_FRAME)
    taken, budget = 0, inflation_budget()
    try:
        while packed := file.read(_CHUNK):
            taken += len(packed)
            budget.add(len(packed))
            while packed:
                piece = inflate.decompress(packed, _CHUNK)
                if not budget.take(len(piece)) or budget.spent > _MOST:
                    raise _too_much(taken, budget.spent, where)
                yield piece
                packed = inflate.unconsumed_tail
                if inflate.eof:
                    packed = inflate.unused_data.lstrip(b"\0")
                    inflate = zlib.decompressobj(_FRAME) if packed else inflate
    except zlib.error as fault:
        what = f"the file is damaged: its gzip data cannot be unpacked ({fault})"
        raise CorruptFile(what, offset=max(0, taken - _CHUNK), where=where, hint=_HINT) from None
    if not inflate.eof:
        what = "the file is damaged: its gzip data ends early"
        raise CorruptFile(what, offset=taken, where=where, hint=_HINT)


def _too_much(taken: int, given: int, where: str) -> UnsafeFile:
    return UnsafeFile(
        f"{taken:,} bytes of gzip data unpack to over {given:,}",
        where=where,
        hint="If that is meant, unpack the file yourself: gunzip FILE",
    )
