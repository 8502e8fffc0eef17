"""What can be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tfprof.results.fields import ROW_KEY


@dataclass(frozen=True, slots=True)
class KnownFormat:
    name: Annotated[str, ROW_KEY]
    about: str
    names: tuple[str, ...]
    recognised_by: str
    gives: str
    read: bool


@dataclass(frozen=True, slots=True)
class FormatsResult:
    formats: tuple[KnownFormat, ...]
