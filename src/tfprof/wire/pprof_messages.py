"""pprof's profile.proto: its field list, and the bytes of a message by it.

Written as in graph_messages.py. We only write this format, so no descriptor is made of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from tfprof.wire.varint import as_varint

MESSAGES = """
Profile: 1 sample_type ValueType*; 2 sample Sample*; 4 location Location*; 5 function Function*; 6 string_table string*; 13 comment int64*
ValueType: 1 type int64; 2 unit int64
Sample: 1 location_id uint64*; 2 value int64*; 3 label Label*
Label: 1 key int64; 2 str int64
Location: 1 id uint64; 4 line Line*
Line: 1 function_id uint64; 2 line int64
Function: 1 id uint64; 2 name int64; 4 filename int64; 5 start_line int64
"""  # noqa: E501

_VARINT, _BYTES = 0, 2
_NUMBERS = frozenset({"int64", "uint64"})


def encoded(message: str, values: Mapping[str, Any]) -> bytes:
    """A message as protobuf writes it: fields by number, no zeros, lists of numbers packed."""
    out = bytearray()
    for number, name, kind in _fields()[message]:
        value = values.get(name, [] if kind.endswith("*") else 0)
        element = kind.removesuffix("*")
        if element not in _NUMBERS:
            for one in value:
                data = one.encode() if element == "string" else encoded(element, one)
                out += _with_length(number, data)
        elif element != kind:
            out += _with_length(number, _packed(value)) if value else b""
        elif value:
            out += _varint(number << 3 | _VARINT) + _varint(value)
    return bytes(out)


@cache
def _fields() -> dict[str, list[tuple[int, str, str]]]:
    """By message: number, name and type of each field."""
    found = {}
    for line in MESSAGES.strip().splitlines():
        message, _, rest = line.partition(": ")
        parts = (part.split(" ") for part in rest.split("; "))
        found[message] = [(int(number), name, kind) for number, name, kind in parts]
    return found


def _with_length(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(data)) + data


def _packed(values: Iterable[int]) -> bytes:
    return b"".join(map(_varint, values))


def _varint(value: int) -> bytes:
    # a negative number is its 64 bits
    return as_varint(value & (1 << 64) - 1)
