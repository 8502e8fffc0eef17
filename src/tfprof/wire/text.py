"""Protobuf's text format, in any layout, into wire bytes.

Most fields of most texts are written plainly, and one regular expression reads each of those as a
whole. What it does not fit is left to the reader in text_tokens.py, one field at a time.

Fields that the schema does not list are passed over. A singular field that is given twice counts
as it would on the wire: the last value wins, messages are merged, and of a oneof the last member
stays. (protobuf's own text reader refuses such a text.)
"""

from __future__ import annotations

import re

from tfprof.wire.text_tokens import CLOSER, GAP, UNKNOWN, WORD, TextFault, TokenReader, is_utf8
from tfprof.wire.varint import as_varint

__all__ = ["TextFault", "to_wire", "to_wire_clipped"]


def to_wire(text: bytes, message: str, *, first_line: int = 1) -> bytes:
    """The wire bytes of the `message` that `text` describes; a TextFault where it does not."""
    reader = _Reader(text, message, first_line)
    reader.read()
    return reader.wire()


def to_wire_clipped(
    text: bytes, message: str, *, first_line: int = 1
) -> tuple[bytes, TextFault | None]:
    """As `to_wire`, but of a text that ends early, what is whole, and the fault that tells where.

    Messages that are open at the end are closed there; a value that the end may have cut is left
    out.
    """
    reader = _Reader(text, message, first_line)
    try:
        reader.read()
    except TextFault as fault:
        if not fault.early_end:
            raise
        return reader.wire(), fault
    return reader.wire(), None


# What most fields look like. A string must be free of escapes and alone; a word must not touch the
# end of the text, which may have cut it. The last group matches, empty, where nothing else does.
_PLAIN = re.compile(
    GAP + rb"(?:([A-Za-z_]\w*+)\s*+(?::\s*+"
    rb"(?:(?:\"([^\"\\\n]*+)\"|'([^'\\\n]*+)')(?!" + GAP + rb"[\"'])" + GAP + rb"[,;]?+"
    rb"|(" + WORD + rb")(?!\Z)" + GAP + rb"[,;]?+"
    rb"|([{<]))|([{<]))"
    rb"|([}>])" + GAP + rb"[,;]?+"
    rb"|())"
)
# groups: 2 and 3 are strings, 5 and 6 begin a message
_KEY, _WORD, _OPEN, _CLOSE, _NOTHING = 1, 4, 5, 7, 8
_SIZES = tuple(as_varint(size) for size in range(2048))


class _Reader(TokenReader):
    """Reads plain fields as a whole, the others token by token."""

    __slots__ = ("_clean",)

    def __init__(self, text: bytes, message: str, first_line: int) -> None:
        super().__init__(text, message, first_line)
        # then a string without escapes is UTF-8, too, and need not be looked at
        self._clean = text.isascii() or is_utf8(text)

    def _fields(self, at: int) -> int:
        at = self._skip(self._plain_fields(at))
        return self._odd_field(at) if at < len(self._text) else at

    def _plain_fields(self, position: int) -> int:
        """Reads on while fields are written plainly; returns where something else stands.

        This is the loop that the time goes into: state in local names, almost nothing called.
        """
        pieces, stack, clean = self._pieces, self._stack, self._clean
        plan, closer, tag = self._plan, self._closer, self._tag
        slot, base, size = self._slot, self._base, self._size
        for match in _PLAIN.finditer(self._text, position):
            kind = match.lastindex or _NOTHING
            if kind == _CLOSE:
                if match[_CLOSE] != closer:
                    break
                inside = size - base
                piece = tag and tag + (_SIZES[inside] if inside < 2048 else as_varint(inside))
                pieces[slot] = piece
                size += len(piece)
                plan, closer, tag, slot, base = stack.pop()
                continue
            if kind == _NOTHING:
                break
            field = plan.get(match[_KEY], UNKNOWN)
            if kind == _WORD:
                try:
                    piece = field.words[match[_WORD]]
                except ValueError:
                    break
                pieces.append(piece)
                size += len(piece)
            elif kind >= _OPEN:
                if field.inner is None:
                    break
                stack.append((plan, closer, tag, slot, base))
                closer = CLOSER[match[kind]]
                slot, base = len(pieces), size
                pieces.append(b"")
                tag, plan = field.tag, field.inner
            elif field.is_string:
                value = match[kind]
                if not clean and not value.isascii():
                    break
                inside = len(value)
                piece = field.tag + (_SIZES[inside] if inside < 2048 else as_varint(inside)) + value
                pieces.append(piece)
                size += len(piece)
            elif field is not UNKNOWN:
                break
        self._plan, self._closer, self._tag = plan, closer, tag
        self._slot, self._base, self._size = slot, base, size
        return match.start()
