"""Who watches is told how much is done."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.model.host_work import HeardOfHosts


class Told:
    """Counts items and their bytes; an item that is done again is told once."""

    def __init__(self, sizes: Sequence[int], heard: HeardOfHosts | None) -> None:
        self._sizes, self._heard = sizes, heard
        self._done: set[int] = set()
        self._bytes = 0

    def of(self, at: int) -> None:
        if at in self._done:
            return
        self._done.add(at)
        self._bytes += self._sizes[at]
        if self._heard is not None:
            self._heard(len(self._done), self._bytes)
