"""A number that knows where it comes from. Unknown is a value with a reason, never 0 or -1."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import Dim, Size


class Kind(Enum):
    """How a number came about; sums take the weakest kind of their parts."""

    MEASURED = "measured"
    DERIVED = "derived"
    ESTIMATED = "estimated"
    AT_LEAST = "at_least"
    UNKNOWN = "unknown"

    @property
    def mark(self) -> str:
        """What stands before such a number; in place of one that is not known."""
        return _MARKS.get(self.value, "")


_STRENGTH = list(Kind)
_NAMED = (Kind.ESTIMATED, Kind.AT_LEAST)
_MARKS = {"estimated": "~", "at_least": "≥", "unknown": "?"}


def weakest(kinds: Iterable[Kind]) -> Kind:
    """What a sum of such parts is."""
    return max(kinds, key=_STRENGTH.index, default=Kind.MEASURED)


@frozen_dataclass
class Quantity:
    """`value` is a formula while a size is open; `reason` says what is missing of it."""

    value: float | Size | None
    kind: Kind = Kind.DERIVED
    reason: str = ""

    @classmethod
    def measured(cls, value: float) -> Quantity:
        return cls(value, Kind.MEASURED)

    @classmethod
    def derived(cls, value: float | Size) -> Quantity:
        return cls(value, Kind.DERIVED)

    @classmethod
    def estimated(cls, value: float | Size) -> Quantity:
        return cls(value, Kind.ESTIMATED)

    @classmethod
    def at_least(cls, value: float | Size, missing: str) -> Quantity:
        """The known part of a sum, and what is missing of it."""
        return cls(value, Kind.AT_LEAST, missing)

    @classmethod
    def part(cls, value: float | Size, missing: str) -> Quantity:
        """At least so much; of a part that is nothing, nothing is known."""
        return cls.at_least(value, missing) if value != 0 else cls.unknown(missing)

    @classmethod
    def unknown(cls, reason: str) -> Quantity:
        return cls(None, Kind.UNKNOWN, reason)

    @property
    def known(self) -> bool:
        return self.value is not None

    @property
    def number(self) -> int | float | None:
        """None as well while it is a formula."""
        return None if isinstance(self.value, Dim) else self.value

    @property
    def is_plain(self) -> bool:
        """Whether the number is all there is to say."""
        return self.kind in (Kind.MEASURED, Kind.DERIVED)

    @property
    def is_told_by_its_value(self) -> bool:
        """No formula, and no kind to be named beside it."""
        return self.kind not in _NAMED and not isinstance(self.value, Dim)

    def __add__(self, other: Quantity) -> Quantity:
        if self.value is None:
            return self
        if other.value is None:
            return other
        kind = weakest((self.kind, other.kind))
        return Quantity(_sum(self.value, other.value), kind, self.reason or other.reason)


def _sum(one: float | Size, other: float | Size) -> float | Size:
    """Formulas are exact: they are never added to a fraction."""
    if isinstance(one, Dim) or isinstance(other, Dim):
        return _whole(one) + _whole(other)
    return one + other


def _whole(value: float | Size) -> Size:
    if isinstance(value, float):
        raise TypeError(f"{value} is no whole number: a formula cannot hold it")
    return value


def total(parts: Iterable[Quantity]) -> Quantity:
    """The sum; unknown, with the first reason, as soon as one part is."""
    result = Quantity.derived(0)
    for part in parts:
        result = result + part
    return result
