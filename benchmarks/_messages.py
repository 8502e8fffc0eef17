"""Protobuf messages as plain tuples, written as wire bytes or as text; needs nothing installed."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple


class Enum(NamedTuple):
    """A value of an enum: text spells its name, the wire its number."""

    number: int
    name: str


class Packed(tuple[int | float, ...]):
    """A repeated number; the wire holds all of them in one field."""

    __slots__ = ()


class Field(NamedTuple):
    """One field; a plain tuple of fields as `value` is a message."""

    number: int
    name: str
    value: Value


Fields = tuple[Field, ...]
Value = bool | int | float | str | bytes | Enum | Packed | Fields


def wire(fields: Fields) -> bytes:
    return b"".join([_wire_field(*field) for field in fields])


def framed(number: int, inside: bytes) -> bytes:
    """A field that says its own size: a message, a string, a packed list."""
    return varint(number << 3 | 2) + varint(len(inside)) + inside


def _wire_field(number: int, _name: str, value: Value) -> bytes:
    kind = type(value)
    if kind is str:
        return framed(number, value.encode())
    if kind is int or kind is bool:
        return varint(number << 3) + varint(value)
    if kind is tuple:
        return framed(number, wire(value))
    if kind is bytes:
        return framed(number, value)
    if kind is Enum:
        return varint(number << 3) + varint(value.number)
    if kind is float:
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if any(isinstance(item, float) for item in value):
        return framed(number, struct.pack(f"<{len(value)}f", *value))
    return framed(number, b"".join(map(varint, value)))


def varint(number: int) -> bytes:
    if 0 <= number < 128:
        return _SMALL[number]
    number &= 0xFFFF_FFFF_FFFF_FFFF
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


_SMALL = [bytes([number]) for number in range(128)]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a text is laid out. The defaults are what protobuf, and so TensorFlow, prints."""

    opening: str = " {"
    closing: str = "}"
    indent: str = "  "
    newline: str = "\n"
    quote: str = '"'
    short_lists: bool = False

    def text(self, fields: Fields, level: int = 0) -> str:
        return "".join([self._field(field, level) for field in fields])

    def message(self, name: str, inside: str, level: int) -> str:
        """A message whose fields are written already."""
        pad = self.indent * level
        return f"{pad}{name}{self.opening}{self.newline}{inside}{pad}{self.closing}{self.newline}"

    def _field(self, field: Field, level: int) -> str:
        _, name, value = field
        if type(value) is tuple:
            return self.message(name, self.text(value, level + 1), level)
        pad = self.indent * level
        if not isinstance(value, Packed):
            return f"{pad}{name}: {self._scalar(value)}{self.newline}"
        items = [self._scalar(item) for item in value]
        if self.short_lists:
            return f"{pad}{name}: [{', '.join(items)}]{self.newline}"
        return "".join([f"{pad}{name}: {item}{self.newline}" for item in items])

    def _scalar(self, value: Value) -> str:
        if isinstance(value, str | bytes):
            raw = value.encode() if isinstance(value, str) else value
            return self.quote + raw.decode("latin-1").translate(_ESCAPES) + self.quote
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, Enum):
            return value.name
        return repr(value)


_ESCAPES = {code: f"\\{code:03o}" for code in range(256) if not 32 <= code < 127}
_ESCAPES |= {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}
_ESCAPES |= {ord(character): "\\" + character for character in "\"'\\"}

TENSORFLOW = Layout()
ONE_LINE = Layout(indent="", newline=" ")
# angle brackets, colons before messages, single quotes and lists in short, as people write it
BY_HAND = Layout(": <", ">", indent="", newline=" ", quote="'", short_lists=True)
