"""Rows kept as columns: for answers of a hundred thousand rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Protocol, cast, runtime_checkable


@runtime_checkable
class Columns(Protocol):
    """Columns of equal length by the key they have in data; a column may be columns again."""

    def columns(self) -> Mapping[str, Iterable[object] | Columns]: ...


class FieldColumns:
    """A dataclass whose fields are its columns: what a section of the page has much of.

    A field is an array, columns again, or anything that a result may have. They need not be of one
    length: names are a list, and a column has where each row's name stands in it.
    """

    __slots__ = ()

    def columns(self) -> Mapping[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(cast("Any", self))}
