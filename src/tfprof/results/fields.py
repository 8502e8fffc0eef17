"""How a field of a result is told as data, where its name alone does not say it.

A result is read by machines that know nothing but its fields: the JSON encoder, CSV, later the
diff and the page. The key in JSON is the name of the field, its unit the end of that name. What
else there is to know stands in the annotation: `name: Annotated[str, ROW_KEY]`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, get_args, get_origin, get_type_hints

from tfprof.frozen_dataclass import frozen_dataclass


class JsonPlace(Enum):
    """Where the value of a field stands in JSON."""

    OWN = "under its own key"
    IF_KNOWN = "under its own key, left out while it is None"
    AMONG = "its keys among those around it"
    INSIDE = "nowhere: only views look at it"


IF_KNOWN, AMONG, INSIDE = JsonPlace.IF_KNOWN, JsonPlace.AMONG, JsonPlace.INSIDE


class FieldRole(Enum):
    """What a field is to its row."""

    NAMES_IT = "tells it from the others of its table: what a diff or a merge joins by"


ROW_KEY = FieldRole.NAMES_IT


@frozen_dataclass
class Key:
    """The key in JSON, where Python has the word for itself: class, from."""

    name: str


@frozen_dataclass
class Micros(Key):
    """The key of a time: whole picoseconds, which add up, in the result; microseconds in JSON.

    Of a mapping or a tuple, every value is such a time.
    """


@frozen_dataclass
class FieldPlan:
    name: str
    key: str
    place: JsonPlace
    names_row: bool
    is_time: bool


_PLANS: dict[type, tuple[FieldPlan, ...]] = {}


def plan_of(result: type) -> tuple[FieldPlan, ...]:
    """How every field of a result type is told; worked out once."""
    if result not in _PLANS:
        hints = get_type_hints(result, include_extras=True)
        _PLANS[result] = tuple(_plan(name, hints[name]) for name in hints)
    return _PLANS[result]


def _plan(name: str, hint: object) -> FieldPlan:
    said = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    key = next((one for one in said if isinstance(one, Key)), Key(name))
    place = next((one for one in said if isinstance(one, JsonPlace)), JsonPlace.OWN)
    return FieldPlan(name, key.name, place, ROW_KEY in said, isinstance(key, Micros))


def row_key_of(row: object) -> tuple[object, ...]:
    """What tells this row from the others of its table; it may stand among its keys."""
    found: tuple[object, ...] = ()
    for plan in plan_of(row.__class__):
        if plan.names_row:
            found += (getattr(row, plan.name),)
        elif plan.place is JsonPlace.AMONG:
            found += row_key_of(getattr(row, plan.name))
    return found
