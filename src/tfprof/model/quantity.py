"""A number that knows where it comes from. Unknown is a value with a reason, never 0 or -1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """How a number came about; sums take the weakest kind of their parts."""

    MEASURED = "measured"
    DERIVED = "derived"
    ESTIMATED = "estimated"
    UNKNOWN = "unknown"


_STRENGTH = list(Kind)


@dataclass(frozen=True, slots=True)
class Quantity:
    value: int | float | None
    kind: Kind
    reason: str = ""

    @classmethod
    def measured(cls, value: float) -> Quantity:
        return cls(value, Kind.MEASURED)

    @classmethod
    def derived(cls, value: float) -> Quantity:
        return cls(value, Kind.DERIVED)

    @classmethod
    def unknown(cls, reason: str) -> Quantity:
        return cls(None, Kind.UNKNOWN, reason)

    @property
    def known(self) -> bool:
        return self.value is not None

    def __add__(self, other: Quantity) -> Quantity:
        if self.value is None:
            return self
        if other.value is None:
            return other
        kind = max(self.kind, other.kind, key=_STRENGTH.index)
        return Quantity(self.value + other.value, kind)


def total(parts: Iterable[Quantity]) -> Quantity:
    """The sum; unknown, with the first reason, as soon as one part is."""
    result = Quantity.derived(0)
    for part in parts:
        result = result + part
    return result
