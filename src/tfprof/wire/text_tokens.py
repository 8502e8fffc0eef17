"""Protobuf's text format token by token, with everything it allows, into wire bytes.

This reader is complete; text.py adds a quicker way through fields that are written plainly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from tfprof.wire.schema import schema
from tfprof.wire.text_values import PASSED_OVER, FieldWords, unescape
from tfprof.wire.varint import as_varint


class TextFault(ValueError):
    """The text breaks the format at a line and column; `early_end` if it simply stops too soon."""

    def __init__(self, what: str, line: int, column: int, *, early_end: bool = False) -> None:
        super().__init__(f"{what} in line {line}, column {column}")
        self.what = what
        self.line = line
        self.column = column
        self.early_end = early_end


@dataclass(slots=True)
class TextField:
    """How one field is written. It is a string, or a message, or one of its words."""

    tag: bytes
    words: FieldWords
    repeated: bool = False
    is_string: bool = False
    is_utf8: bool = False
    inner: Plan | None = None


# the fields of a message by their names in the text
Plan = dict[bytes, TextField]


@cache
def plans() -> dict[str, Plan]:
    """The fields of every message of the schema."""
    plans: dict[str, Plan] = {name: {} for name in schema()}
    for name, message in schema().items():
        for known in message.by_name.values():
            tag = as_varint(known.number << 3 | known.wire_type)
            plans[name][known.name.encode()] = TextField(
                tag,
                FieldWords(known.type, tag),
                repeated=known.repeated,
                is_string=known.type in ("string", "bytes"),
                is_utf8=known.type == "string",
                inner=plans.get(known.type),
            )
    return plans


# A field that is passed over. It may be anything; its words leave no trace, and as a message it has
# no tag, and no field that is known.
UNKNOWN: Final = TextField(b"", FieldWords(PASSED_OVER, b""), repeated=True, inner={})

# blanks and comments
GAP: Final = rb"\s*+(?:#[^\n]*+\s*+)*+"
WORD: Final = rb"[-+]?+[.\w][-+.\w]*+"
CLOSER: Final = {b"{": b"}", b"<": b">"}
# A message inside [ ] ends in what no text has, so that only _close takes it for an end.
_LISTED_CLOSER = {b"{": b"},", b"<": b">,"}
_ENDS = frozenset({b"}", b">"})
_SEPARATORS = frozenset({b",", b";"})

_GAP = re.compile(GAP)
_WORD = re.compile(WORD)
_SIGN = re.compile(rb"[-+]" + GAP)
# a field number or the name of an extension stands for a field that is passed over
_NAME = re.compile(rb"[A-Za-z_]\w*+|[0-9]++|\[[-\w./~%!$&()*+,;=:\s]++\]")
_WORDS_IN_A_LIST = re.compile(rb"\[([-+.\w,\s]++)\]")
_QUOTED = {
    b'"': re.compile(rb'"([^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"'),
    b"'": re.compile(rb"'([^'\\\n]*+(?:\\.[^'\\\n]*+)*+)'"),
}


class TokenReader:
    """The fields read so far, and the messages that are open.

    A message's tag and size stand before its fields but are known after them, so `_pieces` keeps
    an empty slot for them.
    """

    __slots__ = (
        "_base", "_closer", "_first_line", "_listed", "_pieces", "_plan", "_size", "_slot",
        "_stack", "_tag", "_text",
    )  # fmt: skip

    def __init__(self, text: bytes, message: str, first_line: int = 1) -> None:
        self._text = text
        self._first_line = first_line
        self._pieces: list[bytes] = []
        self._size = 0
        # the innermost open message; the others wait on the stack
        self._plan: Plan = plans()[message]
        self._closer = b""
        self._tag = b""
        self._slot = 0
        self._base = 0
        self._stack: list[tuple[Plan, bytes, bytes, int, int]] = []
        # the names of the lists of messages that are open
        self._listed: list[bytes] = []

    def read(self) -> None:
        """Everything, or up to a TextFault."""
        position, end = self._skip(0), len(self._text)
        while position < end:
            position = self._skip(self._fields(position))
        if self._stack:
            raise self._fault("the text ends inside a message", end)

    def wire(self) -> bytes:
        """What was read; messages still open end here."""
        while self._stack:
            self._leave()
        return b"".join(self._pieces)

    def _fields(self, at: int) -> int:
        """At least one field, from where it begins; returns where it ended."""
        return self._odd_field(at)

    def _odd_field(self, at: int) -> int:
        """One field, or one end of a message, whatever its form; returns where the next begins."""
        text = self._text
        if text[at : at + 1] in _ENDS:
            return self._close(at)
        name = _NAME.match(text, at)
        if name is None:
            cut = text[at : at + 1] == b"[" and text.find(b"]", at) < 0
            raise self._fault("no field starts like this", at, early_end=cut)
        key = name[0]
        at = self._skip(name.end())
        has_colon = text[at : at + 1] == b":"
        if has_colon:
            at = self._skip(at + 1)
        start = text[at : at + 1]
        if start in CLOSER:
            return self._open(key, at, CLOSER[start])
        field = self._plan.get(key, UNKNOWN)
        if not has_colon and (start != b"[" or field is UNKNOWN or field.inner is None):
            raise self._fault(f"{_shown(key)} is followed by neither : nor a message", at)
        if start == b"[":
            return self._list(key, at)
        return self._separator(self._scalar(key, at))

    def _list(self, key: bytes, at: int) -> int:
        """From the [ of a list to its end, or to its first message."""
        field = self._plan.get(key, UNKNOWN)
        if not field.repeated:
            raise self._fault(f"{_shown(key)} has one value, not a list", at)
        words = _WORDS_IN_A_LIST.match(self._text, at)
        if words is not None and field is not UNKNOWN:
            try:
                self._put(b"".join([field.words[w.strip()] for w in words[1].split(b",")]))
            except ValueError:
                pass  # what is wrong, if anything, turns out below
            else:
                return self._separator(words.end())
        at = self._skip(at + 1)
        if self._text[at : at + 1] == b"]":
            return self._separator(at + 1)
        return self._items(key, at)

    def _items(self, key: bytes, at: int) -> int:
        """From an item of a list to the list's end, or to its next message."""
        while True:
            start = self._text[at : at + 1]
            if start in CLOSER:
                self._listed.append(key)
                return self._open(key, at, _LISTED_CLOSER[start])
            at = self._skip(self._scalar(key, at, in_list=True))
            if self._text[at : at + 1] != b",":
                return self._end_of_list(at)
            at = self._skip(at + 1)

    def _end_of_list(self, at: int) -> int:
        if self._text[at : at + 1] != b"]":
            raise self._fault("an item of a list is followed by neither , nor ]", at)
        return self._separator(at + 1)

    def _open(self, key: bytes, at: int, closer: bytes) -> int:
        field = self._plan.get(key, UNKNOWN)
        if field.inner is None:
            raise self._fault(f"{_shown(key)} is not a message", at)
        self._stack.append((self._plan, self._closer, self._tag, self._slot, self._base))
        self._slot, self._base = len(self._pieces), self._size
        self._pieces.append(b"")
        self._tag, self._plan = field.tag, field.inner
        self._closer = closer
        return at + 1

    def _close(self, at: int) -> int:
        closer = self._closer
        if not self._stack:
            raise self._fault("a message ends that was not begun", at)
        if not closer.startswith(self._text[at : at + 1]):
            raise self._fault(f"expected {closer[:1].decode()} at the end of the message", at)
        self._leave()
        if len(closer) == 1:
            return self._separator(at + 1)
        key = self._listed.pop()
        at = self._skip(at + 1)
        if self._text[at : at + 1] != b",":
            return self._end_of_list(at)
        return self._items(key, self._skip(at + 1))

    def _leave(self) -> None:
        """Puts the tag and the size of the innermost message into its slot."""
        if self._tag:
            head = self._tag + as_varint(self._size - self._base)
            self._pieces[self._slot] = head
            self._size += len(head)
        self._plan, self._closer, self._tag, self._slot, self._base = self._stack.pop()

    def _scalar(self, key: bytes, at: int, *, in_list: bool = False) -> int:
        """A word or a string, to its end."""
        if self._text[at : at + 1] in _QUOTED:
            return self._string(key, at)
        # a sign may stand apart from its number
        sign = _SIGN.match(self._text, at)
        digits = sign.end() if sign else at
        match = _WORD.match(self._text, digits)
        if match is None:
            raise self._fault(f"{_shown(key)} has no value", digits)
        word = sign[0][:1] + match[0] if sign else match[0]
        after = match.end()
        cut = after == len(self._text)
        if cut and (in_list or self._stack):
            raise self._fault("the text ends inside a message or a list", after)
        try:
            self._put(self._plan.get(key, UNKNOWN).words[word])
        except ValueError as error:
            raise self._fault(f"{_shown(key)}: {error}", at, early_end=cut) from None
        return after

    def _string(self, key: bytes, at: int) -> int:
        """A quoted string and all that follow it directly; together they are one value."""
        text, start, parts = self._text, at, []
        after = at
        while text[at : at + 1] in _QUOTED:
            match = _QUOTED[text[at : at + 1]].match(text, at)
            if match is None:
                early_end = text.find(b"\n", at) < 0
                raise self._fault("a string has no closing quote", at, early_end=early_end)
            try:
                parts.append(unescape(match[1]))
            except ValueError as error:
                raise self._fault(f"{_shown(key)}: {error}", at) from None
            after = match.end()
            at = self._skip(after)
        value = b"".join(parts)
        field = self._plan.get(key, UNKNOWN)
        if field.is_string:
            if field.is_utf8 and not is_utf8(value):
                # at the end of the text, half of a character may be missing
                raise self._fault(f"{_shown(key)} is not UTF-8", start, early_end=at == len(text))
            self._put(field.tag + as_varint(len(value)) + value)
        elif field is not UNKNOWN:
            raise self._fault(f"{_shown(key)} cannot be a string", start)
        return after

    def _put(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._size += len(piece)

    def _skip(self, at: int) -> int:
        """Past blanks and comments."""
        match = _GAP.match(self._text, at)
        return match.end() if match else at

    def _separator(self, at: int) -> int:
        """Past the one comma or semicolon that may follow a field."""
        at = self._skip(at)
        return at + 1 if self._text[at : at + 1] in _SEPARATORS else at

    def _fault(self, what: str, at: int, *, early_end: bool = False) -> TextFault:
        """What is wrong at a byte; at the very end, the text is too short rather than wrong."""
        line = self._first_line + self._text.count(b"\n", 0, at)
        column = at - self._text.rfind(b"\n", 0, at)
        return TextFault(what, line, column, early_end=early_end or at == len(self._text))


def is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _shown(key: bytes) -> str:
    return key.decode("ascii", "backslashreplace")
