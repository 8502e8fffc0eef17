"""What tfprof may say when it cannot answer."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import ROW_KEY


@frozen_dataclass
class Message:
    """`slug` is the name that an error gives; `example` one as it was printed."""

    slug: Annotated[str, ROW_KEY]
    exit_code: int
    meaning: str
    example: str
    advice: str


@frozen_dataclass
class MessagesResult:
    messages: tuple[Message, ...]
