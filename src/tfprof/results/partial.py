"""What several hosts tell, put together: in any order and any tree the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import NamedTuple, Protocol, TypeVar


class OfHost(Protocol):
    """What one host contributes whole; `rank` is its place among the hosts."""

    @property
    def rank(self) -> int: ...
    @property
    def host(self) -> str: ...


H = TypeVar("H", bound=OfHost)
Key = TypeVar("Key")
Sum = TypeVar("Sum")
# more hosts than any file has
_IN_A_FILE = 1 << 20


def ranked(rank: int, at: int) -> int:
    """The rank of a host among all, if its file has several: behind all of the files before it."""
    return rank * _IN_A_FILE + at


def file_of(rank: int) -> int:
    """The rank of the file that a host of this rank is in."""
    return rank // _IN_A_FILE


def together(*parts: Iterable[H]) -> tuple[H, ...]:
    """Each once, by rank and name.

    Two of one place are told apart by all that they say, which is much: hosts have places of their
    own, and so it is hardly ever asked.
    """
    found: dict[tuple[int, str], list[H]] = {}
    for part in parts:
        for one in part:
            found.setdefault((one.rank, one.host), []).append(one)
    return tuple(one for place in sorted(found) for one in _told_apart(found[place]))


def _told_apart(alike: list[H]) -> list[H]:
    if len(alike) == 1:
        return alike
    told = {repr(one): one for one in alike}
    return [told[text] for text in sorted(told)]


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
