"""Ordered codes: how a checkpoint spells the key of one slice of a variable.

The encoding sorts like the values it holds: number 0, name, rank, then start and length of each
dimension, with length -1 for "all of it".
"""

from __future__ import annotations

from tfprof.wire.fields import WireFault

SliceExtent = tuple[int, int]

_ESCAPES = {b"\x00\xff": b"\x00", b"\xff\x00": b"\xff"}
_SPELLED = {0x00: b"\x00\xff", 0xFF: b"\xff\x00"}
_END = b"\x00\x01"


def decode_slice_key(key: bytes) -> tuple[str, tuple[SliceExtent, ...]]:
    """The variable and the extents (start, length) a slice key names."""
    try:
        zero, position = _number(key, 0)
        name, position = _string(key, position)
        rank, position = _number(key, position)
        if zero != 0 or rank > 1024:
            raise WireFault("not the key of a slice", 0)
        extents = []
        for _ in range(rank):
            start, position = _signed(key, position)
            length, position = _signed(key, position)
            extents.append((start, length))
    except IndexError:
        raise WireFault("the key of a slice is cut off", len(key)) from None
    return name.decode("utf-8", "replace"), tuple(extents)


def slice_key_prefix(name: str) -> bytes:
    """What the keys of all slices of a variable begin with."""
    spelled = (_SPELLED.get(byte, bytes([byte])) for byte in name.encode())
    return b"\x00" + b"".join(spelled) + _END


def _number(data: bytes, position: int) -> tuple[int, int]:
    """One byte says how many bytes of a big-endian number follow."""
    size = data[position]
    end = position + 1 + size
    if end > len(data):
        raise IndexError
    return int.from_bytes(data[position + 1 : end], "big"), end


def _string(data: bytes, position: int) -> tuple[bytes, int]:
    out = bytearray()
    while True:
        pair = data[position : position + 2]
        if pair == _END:
            return bytes(out), position + 2
        if pair in _ESCAPES:
            out += _ESCAPES[pair]
            position += 2
            continue
        out.append(data[position])
        position += 1


def _signed(data: bytes, position: int) -> tuple[int, int]:
    """The leading ones (zeros, if negative) of the first bytes count the bytes of the number."""
    first = data[position]
    negative = first < 0x80
    flip = 0xFF if negative else 0
    size, at = 0, position
    while True:
        byte = data[at] ^ flip
        ones = 8 - (0xFF ^ byte).bit_length()
        size += ones
        if ones < 8 or size >= 10:
            break
        at += 1
    end = position + size
    if end > len(data):
        raise IndexError
    bits = int.from_bytes(bytes(b ^ flip for b in data[position:end]), "big")
    value = bits & ((1 << (7 * size - 1)) - 1)
    return (~value if negative else value), end
