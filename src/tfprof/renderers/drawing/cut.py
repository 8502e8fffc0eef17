"""Text that is too long, cut where it is missed least."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from os.path import commonprefix

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
    return _without_middle(text, width, _front_of(width))


def _front_of(width: int) -> int:
    """How much of the front stays: a third."""
    return width - 1 - (width - 1) * 2 // 3


def _without_middle(text: str, width: int, front: int) -> str:
    return text[:front] + "…" + text[len(text) - (width - 1 - front) :]


def cut_apart(names: Sequence[str], width: int) -> list[str]:
    """Each loses its front; those that would then look the same keep what tells them apart.

    As far as the width allows: names may differ in more than it holds.
    """
    cut = {name: head_cut(name, width) for name in names}
    looks = Counter(cut.values())
    alike = [name for name, look in cut.items() if looks[look] > 1]
    if alike:
        cut |= _told_apart(alike, width)
    return [cut[name] for name in names]


def _told_apart(names: Sequence[str], width: int) -> dict[str, str]:
    """All cut at one place, the one where most look different; at best where a path is cut."""
    usual = _front_of(width)
    fronts = sorted(range(width), key=lambda front: abs(front - usual))
    tried = [*(partial(_without_middle, width=width, front=front) for front in fronts)]
    begin = len(commonprefix(names))  # noqa: RUF071  (letters are shown, not parts of paths)
    found: dict[str, str] = {}
    for cut in (*tried, partial(_from, width=width, begin=begin)):
        looks = {name: name if len(name) <= width else cut(name) for name in names}
        if len({*looks.values()}) > len({*found.values()}):
            found = looks
        if len({*found.values()}) == len(names):
            break
    return found


def _from(text: str, width: int, begin: int) -> str:
    """From where names begin to differ, which may be in the middle of all of them."""
    return "…" + tail_cut(text[begin:], width - 1)


def title_cut(text: str, width: int) -> str:
    """`what it shows: of what`: the sentence stays whole, the path loses its front."""
    says, colon, of = text.partition(": ")
    room = width - len(says) - len(colon)
    if len(text) <= width or not colon or room < _LEAST_OF_A_NAME:
        return middle_cut(text, width)
    return f"{says}{colon}{head_cut(of, room)}"
