"""Where text of a file becomes text for people: what would steer a terminal is spelt out.

Names come from files, and files from anywhere. An escape sequence in one could clear the screen or
write to the clipboard, a line break fake a line of ours, a mark for right-to-left text turn a name
round. Data keeps its names: JSON only writes the same characters in its own way.
"""

from __future__ import annotations

import re

# controls of ASCII and Latin-1, marks that turn text round, ends of lines, halves of characters
_CONTROLS = "\x00-\x09\x0b-\x1f\x7f-\x9f"
_OTHERS = "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_UNSAFE = re.compile(f"[\n{_CONTROLS}{_OTHERS}]")
_UNSAFE_IN_JSON = re.compile(f"[{_CONTROLS}{_OTHERS}]")
_DELETE = "\x7f"


def printable(text: str) -> str:
    r"""The same with each such character as Python spells it: `\x1b`, `\n`, `\u202e`."""
    # quick for nearly all; what else is not printable, such as a wide blank, does no harm
    return text if text.isprintable() else _UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def printable_json(text: str) -> str:
    r"""JSON with each as `\u001b`, which means the same; line breaks are its layout."""
    if text.isascii() and _DELETE not in text:  # the encoder has spelt the rest already
        return text
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
