"""Pieces of HTML: whatever comes from a file is escaped here, and nowhere else is anything put in.

No script, no link, no address: an answer in a notebook is as harmless as its text.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

from tfprof.printable import printable

# the only attributes that are written; their values are escaped like all text
_ATTRIBUTES = frozenset({"class", "style", "title", "scope", "colspan", "viewBox", "points", "x",
                         "y", "width", "height", "role", "preserveAspectRatio"})  # fmt: skip


def safe(text: str) -> str:
    """Text of a file: no character of it is markup, and none steers what shows it."""
    return html.escape(printable(text), quote=True)


def tag(name: str, inside: str | Iterable[str] = "", **attributes: str | float) -> str:
    """`inside` is markup already; `class_` and `viewBox` are written as HTML has them."""
    said = ""
    for key, value in attributes.items():
        written = key.rstrip("_")
        if written not in _ATTRIBUTES:
            raise ValueError(f"no attribute {written} is written")
        said += f' {written}="{safe(str(value))}"'
    made = inside if isinstance(inside, str) else "".join(inside)
    return f"<{name}{said}>{made}</{name}>"


def width(share: float) -> str:
    """A style of so much of the width."""
    return f"width:{100 * min(1.0, max(0.0, share)):.2f}%"
