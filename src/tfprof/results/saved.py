"""What was saved: where, how large it is, and what is in it."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import ROW_KEY


@frozen_dataclass
class SavedPart:
    """A file as it can be named inside of what was written; `bytes` are unpacked."""

    name: Annotated[str, ROW_KEY]
    format: str | None
    bytes: int


@frozen_dataclass
class SaveResult:
    """`values`: with those of tensors; `confidential`: without what tells where it ran."""

    written: tuple[str, ...]
    bytes: int
    files: tuple[SavedPart, ...]
    values: bool
    confidential: bool
