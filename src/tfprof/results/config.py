"""Where each setting comes from."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import ROW_KEY


@frozen_dataclass
class ConfigValue:
    """`key` is that of `[tool.tfprof]`, `source` a variable, a file or the default."""

    key: Annotated[str, ROW_KEY]
    value: str | None
    source: str
    variable: str


@frozen_dataclass
class ConfigResult:
    """Of one command, or what is set for any."""

    values: tuple[ConfigValue, ...]
    file: str | None
