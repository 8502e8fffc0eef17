"""The page of the documentation as data. It rides in the wheel; in a clone it is where it is."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from tfprof.errors import UsageError
from tfprof.results.answered import SCHEMA, Answered, Subject
from tfprof.results.messages import Message, MessagesResult

# pyproject.toml puts the page there
PAGE: Final = "messages.md"
_IN_A_CLONE: Final = Path(__file__).parents[4] / "docs" / PAGE
_SECTION = re.compile(
    r"^## (.+)\n\nExit code (\d+)\. (.*?)\n\n> (.*?)\n\n\*\*Try:\*\* (.*)", re.DOTALL
)
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


def messages_of(words: Sequence[str]) -> Answered[MessagesResult]:
    """Those of these slugs or exit codes; all of them by default."""
    known = every_message()
    for word in words:
        if word not in known and word not in {str(one.exit_code) for one in known.values()}:
            near = difflib.get_close_matches(word, known, 1)
            hint = f"Did you mean {near[0]}?" if near else "`tfprof explain` lists them."
            raise UsageError(f"no message is called {word!r}", hint=hint)
    chosen = tuple(
        one
        for one in known.values()
        if not words or one.slug in words or str(one.exit_code) in words
    )
    title = chosen[0].slug if len(chosen) == 1 else f"{len(chosen)} messages"
    return Answered(SCHEMA, "explain", (), (), MessagesResult(chosen), Subject(title))


@cache
def every_message() -> dict[str, Message]:
    """By slug, in the order of the page."""
    packed = files("tfprof") / PAGE
    text = (packed if packed.is_file() else _IN_A_CLONE).read_text(encoding="utf-8")
    sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]
    found = [one for section in sections if (one := _SECTION.match(section)) is not None]
    return {one[1]: Message(one[1], int(one[2]), *map(_plain, one.groups()[2:])) for one in found}


def _plain(markdown: str) -> str:
    """In one line, without links."""
    return " ".join(_LINK.sub(r"\1", markdown).split())
