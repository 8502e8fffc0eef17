"""Text that is too long, cut where it is missed least."""

from __future__ import annotations


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
