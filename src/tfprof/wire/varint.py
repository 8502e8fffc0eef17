"""A number on the wire, and what is raised where bytes break the format."""

from __future__ import annotations


class WireFault(ValueError):
    """The bytes break the wire format at `offset`; `early_end` if a field runs past the end."""

    def __init__(self, what: str, offset: int, *, early_end: bool = False) -> None:
        super().__init__(f"{what} at byte {offset}")
        self.what = what
        self.offset = offset
        self.early_end = early_end


def varint(data: bytes, position: int) -> tuple[int, int]:
    """The varint at `position`, modulo 2^64, and where it ends; IndexError past the data."""
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, position
        shift += 7
        if shift >= 70:
            raise WireFault("a number has more than ten bytes", position)


def as_varint(value: int) -> bytes:
    """A number from 0 to 2^64 - 1 as the wire has it."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
