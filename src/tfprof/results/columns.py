"""Rows kept as columns: for answers of a hundred thousand rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable


@runtime_checkable
class Columns(Protocol):
    """Columns of equal length by the key they have in data; a column may be columns again."""

    def columns(self) -> Mapping[str, Iterable[object] | Columns]: ...
