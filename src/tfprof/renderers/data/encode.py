"""A result as plain data: dicts, lists, strings and numbers, ready to be JSON.

The one place where a typed answer becomes `dict[str, Any]`. Numbers are in base units; one that is
not known is None, with the formula beside it where only a size is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from tfprof.model.dims import Dim, term_list
from tfprof.model.quantity import Quantity
from tfprof.model.units import PS
from tfprof.results.columns import Columns
from tfprof.results.fields import Place, plan_of
from tfprof.results.times import Nanoseconds

_AS_IT_IS = (str, int, float, type(None))
_PLAIN = frozenset({*_AS_IT_IS, bool})


def encoded(value: object) -> Any:  # noqa: ANN401
    """Any part of a result."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Nanoseconds):
        return value.micros
    if isinstance(value, _AS_IT_IS):
        return value
    if isinstance(value, Quantity | Dim):
        return _number(value)
    if isinstance(value, Mapping):
        return dict(pair for key, one in value.items() for pair in _pairs(_name(key), one))
    return _parts(value)


def _parts(value: object) -> Any:  # noqa: ANN401
    """A result inside a result (also a named tuple), rows, or columns."""
    if isinstance(value, Columns):
        return _records(value)
    if hasattr(value, "_fields") or (is_dataclass(value) and not isinstance(value, type)):
        return dict(_fields(value))
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Iterable):
        # a size of a shape has no key of its own to put a formula beside
        return [str(one) if isinstance(one, Dim) else encoded(one) for one in value]
    raise TypeError(f"{type(value).__name__} is no part of a result")


def _name(key: object) -> str:
    return str(key.value if isinstance(key, Enum) else key)


def _fields(result: object) -> Iterator[tuple[str, Any]]:
    for plan in plan_of(result.__class__):
        value = getattr(result, plan.name)
        if plan.place is Place.INSIDE or (plan.place is Place.IF_KNOWN and value is None):
            continue
        if plan.is_time:
            yield plan.key, _micros(value)
        elif plan.place is Place.AMONG:
            yield from encoded(value).items()
        else:
            yield from _pairs(plan.key, value)


def _pairs(key: str, value: object) -> Iterator[tuple[str, Any]]:
    """A key and its value, and beside it what else there is to know of a number."""
    yield key, encoded(value)
    formula = value.value if isinstance(value, Quantity) else value
    if isinstance(formula, Dim):
        yield f"{key}_formula", {"text": str(formula), "terms": term_list(formula)}


def _micros(value: object) -> Any:  # noqa: ANN401
    """Picoseconds, one or many, as microseconds."""
    if isinstance(value, Mapping):
        return {_name(key): _micros(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return [_micros(one) for one in value]
    return value / PS if isinstance(value, int | float) else None


def _number(value: Quantity | Dim) -> float | None:
    return value.number if isinstance(value, Quantity) else None


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
