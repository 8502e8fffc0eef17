"""JSON as Python has it, and a look at it that takes nothing for granted."""

from __future__ import annotations

from typing import TypeAlias

Json: TypeAlias = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
Object: TypeAlias = dict[str, Json]

# no number of ours needs more, and what is shown, multiplied or divided has to stay a number
_MOST_DIGITS = 100


class NotBelieved(ValueError):
    """A number that is one in JSON, and that nobody can mean."""


def parsed(text: str | bytes) -> Json:
    """What a text says. Faults are those of `json`, or NotBelieved."""
    import json  # most who ask for its types have no text of it

    value: Json = json.loads(text, parse_int=_whole)
    return value


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise NotBelieved(f"a number has {len(digits):,} digits")
    return int(digits)


def as_object(value: object) -> Object:
    """The object that a value is; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Json]:
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""
