"""What was not given."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import ROW_KEY


@frozen_dataclass
class MissingInput:
    """What is not there, what it would add, and the command that uses it."""

    what: Annotated[str, ROW_KEY]
    adds: str
    command: str
