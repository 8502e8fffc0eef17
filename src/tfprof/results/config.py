"""Where each setting comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tfprof.results.fields import ROW_KEY


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """`key` is that of `[tool.tfprof]`, `source` a variable, a file or the default."""

    key: Annotated[str, ROW_KEY]
    value: str | None
    source: str
    variable: str


@dataclass(frozen=True, slots=True)
class ConfigResult:
    """Of one command, or what is set for any."""

    values: tuple[ConfigValue, ...]
    file: str | None
