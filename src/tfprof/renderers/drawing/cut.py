"""Text that is too long, cut where it is missed least."""

from __future__ import annotations

# fewer letters of a name tell nobody anything
_LEAST_OF_A_NAME = 12


def tail_cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def head_cut(text: str, width: int) -> str:
    """What tells scoped names apart stands at their end: the front goes."""
    return text if len(text) <= width else "…" + text[len(text) - width + 1 :]


def middle_cut(text: str, width: int) -> str:
    """A path is known by both its ends: the middle goes."""
    if len(text) <= width:
        return text
    tail = (width - 1) * 2 // 3
    return text[: width - 1 - tail] + "…" + text[len(text) - tail :]


def title_cut(text: str, width: int) -> str:
    """`what it shows: of what`: the sentence stays whole, the path loses its front."""
    says, colon, of = text.partition(": ")
    room = width - len(says) - len(colon)
    if len(text) <= width or not colon or room < _LEAST_OF_A_NAME:
        return middle_cut(text, width)
    return f"{says}{colon}{head_cut(of, room)}"
