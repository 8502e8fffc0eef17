"""A raw value as the text of a table cell."""

from __future__ import annotations

from collections.abc import Callable

from tfprof.model import units
from tfprof.model.dims import Dim, formula
from tfprof.model.quantity import Quantity
from tfprof.printable import printable
from tfprof.views.shapes import Unit, Value


def cell(value: Value, unit: Unit) -> str:
    if isinstance(value, Quantity):
        return _quantity(value, unit)
    if value is None:
        return "?"
    if isinstance(value, str):
        return printable(_minute(value) if unit is Unit.MOMENT else value)
    return _WRITE[unit](value)


def _quantity(value: Quantity, unit: Unit) -> str:
    found = value.value
    if found is None:
        return value.kind.mark
    return value.kind.mark + (formula(found) if isinstance(found, Dim) else _WRITE[unit](found))


def _minute(moment: str) -> str:
    """2026-11-17 20:48."""
    return moment[:16].replace("T", " ")


def _share(value: float) -> str:
    return units.share(value, 1)


_WRITE: dict[Unit, Callable[[float], str]] = {
    Unit.NAME: str,
    Unit.PROSE: str,
    Unit.COUNT: units.exact,
    Unit.SCALED: units.count,
    Unit.BYTES: units.size,
    Unit.MICROS: units.duration,
    Unit.SHARE: _share,
    Unit.CHANGE: units.signed_share,
    Unit.NUMBER: units.number,
    Unit.MOMENT: str,
}
