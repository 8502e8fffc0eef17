"""What was not given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tfprof.results.fields import ROW_KEY


@dataclass(frozen=True, slots=True)
class MissingInput:
    """What is not there, what it would add, and the command that uses it."""

    what: Annotated[str, ROW_KEY]
    adds: str
    command: str
