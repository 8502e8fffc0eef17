"""A cell as the plain value that other programs read."""

from __future__ import annotations

from tfprof.model.dims import Dim
from tfprof.model.quantity import Quantity
from tfprof.views.shapes import Value


def raw(value: Value) -> str | int | float | None:
    """The number of a quantity; a formula is text."""
    if not isinstance(value, Quantity):
        return value
    return str(value.value) if isinstance(value.value, Dim) else value.value
