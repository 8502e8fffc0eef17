"""What was saved: where, how large it is, and what is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tfprof.results.fields import ROW_KEY


@dataclass(frozen=True, slots=True)
class SavedPart:
    """A file as it can be named inside of what was written; `bytes` are unpacked."""

    name: Annotated[str, ROW_KEY]
    format: str | None
    bytes: int


@dataclass(frozen=True, slots=True)
class SaveResult:
    """`values`: with those of tensors; `confidential`: without what tells where it ran."""

    written: tuple[str, ...]
    bytes: int
    files: tuple[SavedPart, ...]
    values: bool
    confidential: bool
