"""A result as plain data: dicts, lists, strings and numbers, ready to be JSON.

The one place where a typed answer becomes `dict[str, Any]`. Numbers are in base units; one that is
not known is None, with the formula beside it where only a size is open; one that is estimated, or
at least so much, has its kind beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from typing import Any, cast

import numpy as np

from tfprof.model.dims import Dim, term_list
from tfprof.model.quantity import Kind, Quantity, weakest
from tfprof.model.units import as_micros
from tfprof.results.columns import Columns
from tfprof.results.fields import JsonPlace, plan_of
from tfprof.results.times import Nanoseconds

_AS_IT_IS = (str, int, float, type(None))
_LEFT_OUT = (JsonPlace.IF_KNOWN, JsonPlace.AMONG)
_TOLD_KINDS = (Kind.ESTIMATED, Kind.AT_LEAST)
_PLAIN = frozenset({*_AS_IT_IS, bool})


def encoded(value: object) -> Any:  # noqa: ANN401
    """Any part of a result."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Nanoseconds):
        return value.micros
    if isinstance(value, _AS_IT_IS):
        return value
    if isinstance(value, Quantity):
        return value.number
    if isinstance(value, Mapping):
        return _mapped(value)
    return _parts(value)


def _parts(value: object) -> Any:  # noqa: ANN401
    """A result inside a result (also a named tuple), rows, or columns."""
    if hasattr(value, "columns"):  # what the protocol asks for, asked quickly: rows are many
        return _records(cast("Columns", value))
    if hasattr(value, "_fields") or (is_dataclass(value) and not isinstance(value, type)):
        return _fields(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Iterable):
        # a size of a shape has no key of its own to put a formula beside
        return [str(one) if isinstance(one, Dim) else encoded(one) for one in value]
    raise TypeError(f"{type(value).__name__} is no part of a result")


def _mapped(value: Mapping[Any, object]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, one in value.items():
        _put_entry(found, _name(key), one)
    return found


def _name(key: object) -> str:
    return str(key.value if isinstance(key, Enum) else key)


def _fields(result: object) -> dict[str, Any]:
    """Filled in place: a row is told in one go, and rows are many."""
    found: dict[str, Any] = {}
    for plan in plan_of(result.__class__):
        value = getattr(result, plan.name)
        if plan.place is JsonPlace.INSIDE or (value is None and plan.place in _LEFT_OUT):
            continue
        if plan.is_time:
            found[plan.key] = _micros(value)
        elif value.__class__ in _AS_IT_IS:
            found[plan.key] = value
        elif value.__class__ is Quantity and value.is_told_by_its_value:
            found[plan.key] = value.value
        elif plan.place is JsonPlace.AMONG:
            found.update(encoded(value))
        else:
            _put(found, plan.key, value)
    return found


def _put(found: dict[str, Any], key: str, value: object) -> None:
    """A key and its value, and beside it what else there is to know of a number."""
    _put_entry(found, key, value)
    if isinstance(value, Quantity):
        kind = value.kind if value.known else None
    elif isinstance(value, Mapping):
        numbers = (one for one in value.values() if isinstance(one, Quantity) and one.known)
        kind = weakest(one.kind for one in numbers)
    else:
        return
    if kind in _TOLD_KINDS:
        found[f"{key}_kind"] = kind.value


def _put_entry(found: dict[str, Any], key: str, value: object) -> None:
    """An entry of a mapping: all of them are of one kind, which stands beside the mapping."""
    number = value.value if isinstance(value, Quantity) else value
    if isinstance(number, Dim):
        found[key] = None
        found[f"{key}_formula"] = {"text": str(number), "terms": term_list(number)}
    else:
        found[key] = encoded(number)


def _micros(value: object) -> Any:  # noqa: ANN401
    """Picoseconds, one or many, as microseconds."""
    if isinstance(value, Mapping):
        return {_name(key): _micros(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return [_micros(one) for one in value]
    return as_micros(value) if isinstance(value, int | float) else None


def _records(rows: Columns) -> list[dict[str, Any]]:
    """Columns of equal length as a row each."""
    columns = rows.columns()
    values = [
        _records(one) if isinstance(one, Columns) else _listed(one) for one in columns.values()
    ]
    names = list(columns)
    return [dict(zip(names, row, strict=False)) for row in zip(*values, strict=True)]


def _listed(column: Iterable[object]) -> list[Any]:
    """Most are plain already: a look at the types is quicker than one at every value."""
    if isinstance(column, np.ndarray):
        plain: list[Any] = column.tolist()
        return plain
    found = list(column)
    return found if _PLAIN.issuperset(map(type, found)) else [encoded(one) for one in found]
