"""What can be read."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import ROW_KEY


@frozen_dataclass
class KnownFormat:
    name: Annotated[str, ROW_KEY]
    about: str
    names: tuple[str, ...]
    recognised_by: str
    gives: str
    read: bool


@frozen_dataclass
class FormatsResult:
    formats: tuple[KnownFormat, ...]
