"""Terminals without UTF-8: what they cannot show is written in letters that they can.

A question mark has a meaning of its own here, unknown, and must not stand for anything else.
"""

from __future__ import annotations

import codecs
import io
from typing import TextIO

TEXT, JSON = "tfprof-text", "tfprof-json"
# one letter for one, or columns would shift; no two kinds of a bar get the same
_LETTERS = {
    "█": "#", "▓": "@", "▒": "o", "░": ":",
    "▁": "_", "▂": ".", "▃": ",", "▄": "-", "▅": "=", "▆": "+", "▇": "%",
    "─": "-", "│": "|", "├": "|", "└": "`", "━": "-", "╸": "-", "╺": "-",
    "●": "*", "○": "o", "◆": "*", "◇": "o", "◀": "<", "»": ">",
    "…": ".", "·": "*", "×": "x", "µ": "u", "–": "-", "−": "-", "→": ">",
    "≥": ">=", "±": "+-", "⇄": "=",
}  # fmt: skip


def use_letters_it_has(stream: TextIO | None, errors: str = TEXT) -> None:
    """What cannot be encoded is spelt otherwise, instead of being an error."""
    if isinstance(stream, io.TextIOWrapper):
        codecs.register_error(TEXT, _spelt)
        codecs.register_error(JSON, _escaped)
        stream.reconfigure(errors=errors)


def _spelt(fault: UnicodeError) -> tuple[str, int]:
    lost, end = _lost(fault)
    return "".join(_LETTERS.get(letter, "?") for letter in lost), end


def _escaped(fault: UnicodeError) -> tuple[str, int]:
    r"""As JSON spells it, \u2026: nothing but strings has such letters there."""
    lost, end = _lost(fault)
    units = lost.encode("utf-16-be", "surrogatepass")
    pairs = (units[at : at + 2] for at in range(0, len(units), 2))
    return "".join(f"\\u{pair.hex()}" for pair in pairs), end


def _lost(fault: UnicodeError) -> tuple[str, int]:
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    return fault.object[fault.start : fault.end], fault.end
