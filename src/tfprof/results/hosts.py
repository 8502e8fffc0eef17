"""What several hosts tell, put together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar


class OfHost(Protocol):
    """What one host contributes to an answer; `rank` is its place among the hosts."""

    @property
    def rank(self) -> int: ...
    @property
    def host(self) -> str: ...


H = TypeVar("H", bound=OfHost)


def together(*parts: Iterable[H]) -> tuple[H, ...]:
    """Each once, by rank and name: however parts are put together, the whole is the same."""
    found = {repr(one): one for part in parts for one in part}
    ordered = sorted(found.items(), key=lambda item: (item[1].rank, item[1].host, item[0]))
    return tuple(one for _, one in ordered)
