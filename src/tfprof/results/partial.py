"""What several hosts tell, put together: in any order and any tree the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import NamedTuple, Protocol, Self, TypeVar


class Partial(Protocol):
    """What one host contributes to an answer, or several."""

    def merge(self, other: Self) -> Self: ...


class OfHost(Protocol):
    """What one host contributes whole; `rank` is its place among the hosts."""

    @property
    def rank(self) -> int: ...
    @property
    def host(self) -> str: ...


P = TypeVar("P", bound=Partial)
H = TypeVar("H", bound=OfHost)
Key = TypeVar("Key")
Sum = TypeVar("Sum")
# more hosts than any file has
_IN_A_FILE = 1 << 20


def merged(parts: Iterable[P]) -> P:
    """In a tree: of a thousand, each is merged ten times and not a thousand."""
    left = list(parts)
    while len(left) > 1:
        pairs = zip(left[::2], left[1::2], strict=False)
        rest = left[-1:] if len(left) % 2 else []
        left = [*(one.merge(other) for one, other in pairs), *rest]
    return left[0]


def ranked(rank: int, at: int) -> int:
    """The rank of a host among all, if its file has several: behind all of the files before it."""
    return rank * _IN_A_FILE + at


def file_of(rank: int) -> int:
    """The rank of the file that a host of this rank is in."""
    return rank // _IN_A_FILE


def together(*parts: Iterable[H]) -> tuple[H, ...]:
    """Each once, by rank and name."""
    found = {repr(one): one for part in parts for one in part}
    ordered = sorted(found.items(), key=lambda item: (item[1].rank, item[1].host, item[0]))
    return tuple(one for _, one in ordered)


def summed(items: Iterable[tuple[Key, Sum]], plus: Callable[[Sum, Sum], Sum]) -> dict[Key, Sum]:
    """Those of one key together."""
    found: dict[Key, Sum] = {}
    for key, value in items:
        found[key] = plus(found[key], value) if key in found else value
    return found


def both(
    one: Mapping[Key, Sum], other: Mapping[Key, Sum], plus: Callable[[Sum, Sum], Sum]
) -> dict[Key, Sum]:
    return summed(chain(one.items(), other.items()), plus)


class FirstPlace(NamedTuple):
    """Where something was met first: the number of its host, and its place in a table."""

    host: int
    at: int


class Met(NamedTuple):
    """Of something: where it was met first, and how much there is of it."""

    place: FirstPlace
    amount: int

    def plus(self, other: Met) -> Met:
        return Met(min(self.place, other.place), self.amount + other.amount)
