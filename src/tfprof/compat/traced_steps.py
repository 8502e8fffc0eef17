"""Which runs of a program are traced: those asked for, or a sample that shows all kinds of them."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable

from tfprof.errors import UsageError

WARM_UP = 10
MOST = 100  # every trace stays in memory
_ENOUGH = 0.5
_SHARE = (2, 11)


class TracedSteps:
    """Without a choice: each set of fetches once, and some more while little has been seen."""

    def __init__(self, chosen: Iterable[int] | None) -> None:
        self.chosen = set(() if chosen is None else chosen)
        self.automatic = chosen is None
        self.count = 0
        self._fetched: set[frozenset[str]] = set()
        # the original's seed and draw: the same program traces the same steps
        self._random = random.Random(111)  # noqa: S311
        self._told = False
        if len(self.chosen) > MOST:
            raise UsageError(
                f"{len(self.chosen)} steps to trace are too many",
                hint=f"Up to {MOST}, e.g. trace_steps=range(0, 1000, {1000 // MOST}).",
            )

    def may_want(self, step: int) -> bool:
        """Whether there is a choice at all; most steps have none, and that is told quickly."""
        return self.automatic and step > WARM_UP and self.count < MOST

    def wants(
        self, step: int, fetched: Callable[[], frozenset[str]], seen: Callable[[], float]
    ) -> bool:
        """Whether to trace a step not asked for; `seen` is the part of the graph traced so far."""
        if not self.may_want(step):
            return False
        names = fetched()
        if names not in self._fetched:
            self._fetched.add(names)
            return True
        part, whole = _SHARE
        return step < MOST and seen() < _ENOUGH and self._random.randrange(whole) < part

    def counted(self) -> bool:
        """Whether one more may be traced; it then counts."""
        if self.count < MOST:
            self.count += 1
            return True
        if not self._told:
            self._told = True
            sys.stderr.write(f"{MOST} steps are traced, and no more will be.\n")
        return False
