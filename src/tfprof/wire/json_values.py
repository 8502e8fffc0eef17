"""JSON as Python has it, and a look at it that takes nothing for granted."""

from __future__ import annotations

from typing import TypeAlias

Json: TypeAlias = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
Object: TypeAlias = dict[str, Json]


def as_object(value: object) -> Object:
    """The object that a value is; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Json]:
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""
