"""What is this file? Evidence from its first and last bytes; the name only breaks ties."""

from __future__ import annotations

import re
from dataclasses import field
from functools import cached_property
from pathlib import Path

from tfprof.frozen_dataclass import frozen_dataclass, mutable_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.sources.files.opener import opener_for
from tfprof.wire.fields import WireFault, varint
from tfprof.wire.schema import BYTES, FIXED32, FIXED64, VARINT, Message, schema

HEAD_BYTES = 1 << 16
_TAIL_BYTES = 48
_MAX_FIELDS = 400
_MAX_DEPTH = 4
# what text conversions write for a byte that is no text, and how much of it is no accident
_REPLACED, _MANGLED = b"\xef\xbf\xbd", 0.02
_SIZES = {FIXED64: 8, FIXED32: 4}

# a message of this type without these fields is probably another type
_EXPECTED = {"NodeDef": (1, 2), "OpLogEntry": (1,), "XPlane": (2,), "DeviceStepStats": (1,)}


@frozen_dataclass(slots=False)
class Probe:
    """A file's head and tail, and what they say."""

    path: Path
    size: int
    head: bytes
    tail: bytes = b""
    _scores: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of_file(cls, path: Path) -> Probe:
        with opener_for(path).stream(path) as file:
            head = file.read(HEAD_BYTES)
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL_BYTES))
            return cls(path, size, head, file.read(_TAIL_BYTES))

    @property
    def name(self) -> str:
        return self.path.name

    def wire_score(self, message: str) -> float:
        """0 to 1: how well the head reads as a binary `message`."""
        if message not in self._scores:
            votes = _Votes(self.size)
            votes.read(self.head, 0, len(self.head), schema()[message], _MAX_DEPTH)
            self._scores[message] = votes.score
        return self._scores[message]

    @cached_property
    def is_text(self) -> bool:
        if b"\0" in self.head:
            return False
        try:
            self.head[: HEAD_BYTES - 4].decode("utf-8")
        except UnicodeDecodeError as fault:
            # text in another encoding, or cut within a character: a few odd bytes are no proof
            return fault.start > len(self.head) // 2
        controls = sum(byte < 32 and byte not in b"\t\n\r\f\v" for byte in self.head[:4096])
        return controls == 0

    @cached_property
    def is_mangled(self) -> bool:
        """Binary data that somebody decoded as text: what was none became U+FFFD, and is lost."""
        head = self.head[: HEAD_BYTES - 4]
        lost = head.count(_REPLACED)
        if self.is_text or lost * len(_REPLACED) < len(head) * _MANGLED:
            return False
        return "\ufffd" not in head.replace(_REPLACED, b"").decode("utf-8", "replace")[:-1]

    @cached_property
    def text_fields(self) -> list[str]:
        """The names of the first fields of a text-format message, if that is what it is."""
        return _top_level_names(self.head.decode("utf-8", "replace"))

    def text_score(self, message: str) -> float:
        """0 to 1: how many of the first text fields `message` has."""
        if not self.is_text or not self.text_fields:
            return 0.0
        known = sum(name in schema()[message].by_name for name in self.text_fields)
        return known / len(self.text_fields)


@mutable_dataclass
class _Votes:
    """Counts what fits and what does not while reading the head as one kind of message."""

    file_size: int
    good: float = 0
    bad: float = 0
    fields: int = 0

    @property
    def score(self) -> float:
        return self.good / (self.good + self.bad) if self.good else 0.0

    def read(self, data: bytes, position: int, end: int, message: Message, depth: int) -> None:
        """Vote on one message; what lies past the head is not held against it."""
        seen = set()
        while position < end and self.fields < _MAX_FIELDS:
            self.fields += 1
            try:
                tag, position = varint(data, position)
                kind, number = tag & 7, tag >> 3
                begin = position
                if kind == VARINT:
                    _, position = varint(data, position)
                elif kind == BYTES:
                    size, begin = varint(data, position)
                    position = begin + size
                elif kind in _SIZES:
                    position += _SIZES[kind]
                else:
                    self.bad += 10
                    return
            except (IndexError, WireFault):
                self.bad += 1
                return
            if position > end and end < len(data):
                self.bad += 10
                return
            if position > self.file_size:
                self.bad += 3  # cut off, or not this format
            seen.add(number)
            self._vote(data, message, number, kind, begin, min(position, end), depth)
        if position <= end:
            self.bad += 5 * sum(n not in seen for n in _EXPECTED.get(message.name, ()))

    def _vote(
        self,
        data: bytes,
        message: Message,
        number: int,
        kind: int,
        begin: int,
        end: int,
        depth: int,
    ) -> None:
        field = message.by_number.get(number)
        if field is None:
            self.bad += 1 if 0 < number < 64 else 10
        elif field.is_message and kind == BYTES:
            self.good += 1
            if depth:
                self.read(data, begin, end, schema()[field.type], depth - 1)
        elif kind == field.wire_type:
            if field.type == "string":
                # the end of the head may cut a character, the end of a whole string not
                cut = "ignore" if end == len(data) else "replace"
                text = data[begin:end].decode("utf-8", cut)
                fits = text.isprintable() and "\ufffd" not in text
                self.good, self.bad = self.good + fits, self.bad + 5 * (not fits)
            else:
                self.good += 1
        elif not (kind == BYTES and field.repeated):  # a packed list is fine
            self.bad += 5


_TEXT_TOKEN = late_pattern(
    r"""\#[^\n]*|(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    r"""|(?P<open>[{<])|(?P<close>[}>])|(?P<name>[A-Za-z_]\w*)(?=\s*[:{<])""",
    re.DOTALL,
)
_MAX_NAMES = 50


def _top_level_names(text: str) -> list[str]:
    """The names that stand before a `:` or a brace outside all braces."""
    names: list[str] = []
    depth = 0
    for match in _TEXT_TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "name" and depth == 0:
            names.append(match.group("name"))
            if len(names) == _MAX_NAMES:
                break
        elif kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
    return names
