"""The values of protobuf's text format, one at a time: words and quoted strings into wire bytes."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import Final

from tfprof.wire import dtypes
from tfprof.wire.varint import as_varint

# what a word such as 128 or DT_FLOAT becomes is kept, up to so many words of each field
_REMEMBERED: Final = 4096


class FieldWords(dict[bytes, bytes]):
    """Maps the words that may stand for a field to its wire bytes; a ValueError for all others.

    A field that is no number, such as a string or a message, has no words.
    """

    __slots__ = ("_encode", "_tag")

    def __init__(self, field_type: str, tag: bytes) -> None:
        super().__init__()
        self._encode = _ENCODERS.get(field_type, _refuse)
        self._tag = tag

    def __missing__(self, word: bytes) -> bytes:
        field = self._tag + self._encode(word)
        if len(self) < _REMEMBERED:
            self[word] = field
        return field


_INTEGER = re.compile(rb"[-+]?(?:(0[xX][0-9a-fA-F]++)|(0[0-7]++)|0|[1-9][0-9]*+)")
# no integer of ours needs more, and int() of a very long word takes its time
_LONGEST_INTEGER = 100


def _integer(word: bytes) -> int:
    match = _INTEGER.fullmatch(word)
    if match is None or len(word) > _LONGEST_INTEGER:
        raise ValueError(f"{_shown(word)} is not an integer")
    return int(word, 16 if match[1] else 8 if match[2] else 10)


def _integers(lowest: int, highest: int) -> Callable[[bytes], bytes]:
    def encode(word: bytes) -> bytes:
        value = _integer(word)
        if not lowest <= value <= highest:
            raise ValueError(f"{_shown(word)} is not between {lowest} and {highest}")
        return as_varint(value & 0xFFFF_FFFF_FFFF_FFFF)

    return encode


# 010 is no float: it would be 8 to those who read it as an octal integer and 10 to the others
_FLOAT = re.compile(
    rb"([-+]?(?:(?!0[0-9])[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?)[fF]?"
)
_SPECIAL_FLOAT = re.compile(rb"([-+]?(?:inf(?:inity)?|nan))f?", re.IGNORECASE)


def _float(word: bytes) -> float:
    match = _FLOAT.fullmatch(word) or _SPECIAL_FLOAT.fullmatch(word)
    if match is None:
        raise ValueError(f"{_shown(word)} is not a number")
    return float(match[1])


_pack_float = struct.Struct("<f").pack
_pack_double = struct.Struct("<d").pack


def _encode_float(word: bytes) -> bytes:
    value = _float(word)
    try:
        return _pack_float(value)
    except OverflowError:  # beyond the largest float: infinite, as in C
        return _pack_float(float("inf") if value > 0 else float("-inf"))


def _encode_double(word: bytes) -> bytes:
    return _pack_double(_float(word))


_BOOLS = {b"true": 1, b"True": 1, b"t": 1, b"false": 0, b"False": 0, b"f": 0}


def _encode_bool(word: bytes) -> bytes:
    value = _BOOLS.get(word)
    if value is None:
        value = _integer(word) if _INTEGER.fullmatch(word) else -1
    if value not in (0, 1):
        raise ValueError(f"{_shown(word)} is neither true nor false")
    return as_varint(value)


_encode_int32 = _integers(-(1 << 31), (1 << 31) - 1)


def _encode_data_type(word: bytes) -> bytes:
    number = dtypes.ENUM_VALUES.get(word.decode("ascii", "replace"))
    if number is not None:
        return as_varint(number)
    if _INTEGER.fullmatch(word):
        return _encode_int32(word)
    raise ValueError(f"{_shown(word)} is not a DataType")


_pack_fixed32 = struct.Struct("<I").pack


def _encode_fixed32(word: bytes) -> bytes:
    value = _integer(word)
    if not 0 <= value < 1 << 32:
        raise ValueError(f"{_shown(word)} is not between 0 and {(1 << 32) - 1}")
    return _pack_fixed32(value)


def _refuse(word: bytes) -> bytes:
    raise ValueError(f"{_shown(word)} is a word, not a string or a message")


# the type of a field that is not in the schema: any word will do, and leaves nothing on the wire
PASSED_OVER: Final = "passed over"
# by type: a word into the wire bytes of its value, without the tag
_ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    PASSED_OVER: lambda _: b"",
    "int32": _encode_int32,
    "int64": _integers(-(1 << 63), (1 << 63) - 1),
    "uint32": _integers(0, (1 << 32) - 1),
    "uint64": _integers(0, (1 << 64) - 1),
    "fixed32": _encode_fixed32,
    "float": _encode_float,
    "double": _encode_double,
    "bool": _encode_bool,
    "DataType": _encode_data_type,
}

# the escapes that Python's unicode_escape reads exactly as protobuf does; each is one byte
BYTE_ESCAPE: Final = rb"\\(?:[0-3][0-7]{0,2}+|[4-7][0-7]?(?![0-7])|[abfnrtv\\'\"]|x[0-9a-fA-F]{2})"
# not possessive: early versions of Python 3.11 go wrong in groups that are, and look ahead inside
_BYTE_ESCAPES_ONLY = re.compile(rb"[^\\]*+(?:" + BYTE_ESCAPE + rb"[^\\]*+)*")
_SURROGATE_HALVES = rb"u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
_RARE_ESCAPE = re.compile(
    BYTE_ESCAPE
    + rb"|\\(?:x(?P<hex>[0-9a-fA-F])|(?P<question>\?)|"
    + _SURROGATE_HALVES
    + rb"|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|(?P<bad>.?))",
    re.DOTALL,
)


def unescape(quoted: bytes) -> bytes:
    """The bytes that the inside of a quoted string stands for; a ValueError for a bad escape."""
    if b"\\" not in quoted:
        return quoted
    if _BYTE_ESCAPES_ONLY.fullmatch(quoted):
        return _unescape_bytes(quoted)
    return _RARE_ESCAPE.sub(_unescape_rare, quoted)


def _unescape_bytes(quoted: bytes) -> bytes:
    # latin-1 on both sides: bytes that are not escaped pass through as they are
    return quoted.decode("unicode_escape").encode("latin-1")


def _unescape_rare(match: re.Match[bytes]) -> bytes:
    kind = match.lastgroup
    if kind is None:
        return _unescape_bytes(match[0])
    if kind == "question":
        return b"?"
    if kind == "hex":
        return bytes((int(match["hex"], 16),))
    if kind == "bad":
        raise ValueError(f"{_shown(match[0])} is not an escape")
    if kind == "low":
        high, low = int(match["high"], 16), int(match["low"], 16)
        return chr(0x1_0000 + ((high - 0xD800) << 10) + low - 0xDC00).encode()
    code = int(match[kind], 16)
    if code > 0x10_FFFF or 0xD800 <= code < 0xE000:
        raise ValueError(f"{_shown(match[0])} is not a character")
    return chr(code).encode()


def _shown(word: bytes) -> str:
    text = word.decode("utf-8", "backslashreplace")
    return text if len(text) <= 60 else f"{text[:57]}..."
