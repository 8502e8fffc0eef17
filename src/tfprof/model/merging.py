"""Partial results put together: in any order and any tree the same, so by whoever has some."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, Protocol, Self, TypeVar


class Partial(Protocol):
    """What one host contributes to an answer, or several."""

    def merge(self, other: Self) -> Self: ...


P = TypeVar("P", bound=Partial)


def merged(parts: Iterable[P]) -> P:
    """In a tree: of a thousand, each is merged ten times and not a thousand."""
    left = list(parts)
    while len(left) > 1:
        pairs = zip(left[::2], left[1::2], strict=False)
        rest = left[-1:] if len(left) % 2 else []
        left = [*(one.merge(other) for one, other in pairs), *rest]
    return left[0]


class Merging(Generic[P]):
    """The same tree for parts that come one after the other: few of them wait for their like."""

    def __init__(self) -> None:
        # of each size, as in a binary number, at most one
        self._waiting: dict[int, P] = {}

    def add(self, part: P) -> None:
        size = 1
        while (other := self._waiting.pop(size, None)) is not None:
            part, size = other.merge(part), 2 * size
        self._waiting[size] = part

    @property
    def whole(self) -> P | None:
        """None of nothing."""
        return merged(self._waiting.values()) if self._waiting else None
