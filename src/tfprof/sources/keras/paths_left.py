"""Paths of weights that no layer has taken yet: each takes its own, and all below it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

_BELOW = "/"
_BEHIND = chr(ord(_BELOW) + 1)


class PathsLeft:
    """Sorted, so that what is below a path stands together: a file may have many layers."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._place = {path: at for at, path in enumerate(paths)}
        self._sorted = sorted(self._place)

    def take(self, path: str) -> list[str]:
        """In the order in which they came."""
        taken = self._cut(path, f"{path}\0") + self._cut(path + _BELOW, path + _BEHIND)
        return sorted(taken, key=self._place.__getitem__)

    def rest(self) -> list[str]:
        return sorted(self._sorted, key=self._place.__getitem__)

    def _cut(self, begin: str, end: str) -> list[str]:
        first, last = bisect_left(self._sorted, begin), bisect_left(self._sorted, end)
        cut = self._sorted[first:last]
        del self._sorted[first:last]
        return cut
