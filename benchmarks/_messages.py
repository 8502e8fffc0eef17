"""Protobuf messages as plain tuples, written as wire bytes or as text; needs nothing installed."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


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
    wire_type, payload = _PAYLOADS[type(value)]
    inside = payload(value)
    return framed(number, inside) if wire_type == 2 else varint(number << 3 | wire_type) + inside


def _packed(values: Packed) -> bytes:
    if any(isinstance(value, float) for value in values):
        return struct.pack(f"<{len(values)}f", *values)
    return b"".join(map(varint, values))


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
# type of a value: its wire type, and what writes it
_PAYLOADS: dict[type, tuple[int, Callable[[Any], bytes]]] = {
    bool: (0, varint),
    int: (0, varint),
    Enum: (0, lambda value: varint(value.number)),
    float: (5, struct.Struct("<f").pack),
    str: (2, str.encode),
    bytes: (2, bytes),
    Packed: (2, _packed),
    tuple: (2, wire),
}


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
