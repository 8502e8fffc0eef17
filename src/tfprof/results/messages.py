"""What tfprof may say when it cannot answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tfprof.results.fields import ROW_KEY


@dataclass(frozen=True, slots=True)
class Message:
    """`slug` is the name that an error gives; `example` one as it was printed."""

    slug: Annotated[str, ROW_KEY]
    exit_code: int
    meaning: str
    example: str
    advice: str


@dataclass(frozen=True, slots=True)
class MessagesResult:
    messages: tuple[Message, ...]
