"""Where text of a file becomes text for people: what would steer a terminal is spelt out.

Names come from files, and files from anywhere. An escape sequence in one could clear the screen or
write to the clipboard, a line break fake a line of ours, a mark for right-to-left text turn a name
round. Data keeps its names: JSON only writes the same characters in its own way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# controls of ASCII and Latin-1, marks that turn text round, ends of lines, halves of characters
_CONTROLS = "\x00-\x09\x0b-\x1f\x7f-\x9f"
_OTHERS = "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
# patterns as text: few names need them, and re keeps what it has compiled
_UNSAFE = f"[\n{_CONTROLS}{_OTHERS}]"
_UNSAFE_IN_JSON = f"[{_CONTROLS}{_OTHERS}]"
_DELETE = "\x7f"
_PLAIN = bytes(range(ord(" "), ord(_DELETE)))

# `s3://bucket/run`, also as a path has it, with one slash
_ADDRESS = r"\b([a-z][a-z0-9+.-]*[a-z0-9]):(/{1,2})(?![/\s])([^\s\"'`<>]*)"
# what follows names no server: a path, which begins with a slash of its own
_FILE = ("file", "/")
_USER = r"^[^/?]*@"
_TO_HIDE = r"(?i)([?&;][^=&;]*(?:sig|token|key|secret|pass|cred|auth|x-amz|x-goog)[^=&;]*=)[^&;#]*"
_MASK = "***"


def place(path: object) -> str:
    """A file or an address, as it is shown: both slashes, and nothing that opens doors."""
    text = str(path)
    return re.sub(_ADDRESS, _shown, text) if ":/" in text else text


def _shown(found: re.Match[str]) -> str:
    slash = "/" if (found[1], found[2]) == _FILE else ""
    rest = re.sub(_USER, f"{_MASK}@", found[3])
    return f"{found[1]}://{slash}" + re.sub(_TO_HIDE, rf"\g<1>{_MASK}", rest)


def printable(text: str) -> str:
    r"""The same with each such character as Python spells it: `\x1b`, `\n`, `\u202e`."""
    if ":/" in text:
        text = place(text)
    # quick for nearly all; what else is not printable, such as a wide blank, does no harm
    return text if text.isprintable() else re.sub(_UNSAFE, _escaped, text)


def are_printable(texts: Iterable[str]) -> bool:
    """Whether `printable` leaves all of them as they are."""
    joined = "".join(texts)
    if ":" in joined and ":/" in joined:  # one letter is looked for much faster than two
        return False
    if joined.isascii():
        return not joined.encode().translate(None, _PLAIN)
    return joined.isprintable()


def printable_lines(lines: Sequence[str]) -> str:
    """The same of many, each in a line of its own; quick where there is nothing to spell out."""
    text = "\n".join(lines)
    if ":/" not in text and all(map(str.isprintable, lines)):
        return text
    return "\n".join(map(printable, lines))


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def printable_json(text: str) -> str:
    r"""JSON with each as `\u001b`, which means the same; line breaks are its layout."""
    if ":/" in text:
        text = place(text)
    if text.isascii() and _DELETE not in text:  # the encoder has spelt the rest already
        return text
    return re.sub(_UNSAFE_IN_JSON, lambda found: f"\\u{ord(found[0]):04x}", text)
