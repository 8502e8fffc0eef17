"""Snappy's block format, which the blocks of a checkpoint's tables may be compressed with."""

from __future__ import annotations

from tfprof.wire.fields import WireFault, varint

# a block of a table is a few hundred KB; a size far beyond what its bytes can hold is no size
_MOST_EXPANSION = 64


def decompress(data: bytes) -> bytes:
    """The text behind a compressed block; a WireFault if it is damaged."""
    try:
        size, position = varint(data, 0)
        if size > len(data) * _MOST_EXPANSION + 64:
            raise WireFault("a compressed block claims to be larger than it can be", 0)
        out = _elements(data, position)
    except IndexError:
        raise WireFault("a compressed block is cut off", len(data)) from None
    if len(out) != size:
        raise WireFault(f"a compressed block holds {len(out)} bytes, not {size}", 0)
    return bytes(out)


def _elements(data: bytes, position: int) -> bytearray:
    """Literals, and copies of what was written `back` bytes before."""
    out = bytearray()
    while position < len(data):
        tag = data[position]
        position += 1
        kind = tag & 3
        if kind == 0:
            length = tag >> 2
            if length >= 60:
                extra = length - 59
                length = int.from_bytes(_exactly(data, position, extra), "little")
                position += extra
            length += 1
            out += _exactly(data, position, length)
            position += length
            continue
        if kind == 1:
            length, back = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[position]
            position += 1
        else:
            width = 2 if kind == 2 else 4
            length, back = (tag >> 2) + 1, int.from_bytes(_exactly(data, position, width), "little")
            position += width
        if not 0 < back <= len(out):
            raise WireFault("a compressed block refers to what is not there", position)
        while length > 0:
            start = len(out) - back
            piece = out[start : start + min(length, back)]
            out += piece
            length -= len(piece)
    return out


def _exactly(data: bytes, position: int, size: int) -> bytes:
    if position + size > len(data):
        raise IndexError
    return data[position : position + size]
