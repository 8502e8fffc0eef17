"""The chain of executions that decides when a step ends.

It starts with the execution that ended last. What came before an execution is what it waited for:
the last to end of those whose results it reads. If that had ended long before, or if nobody tells
what it reads, it waited for something else, such as a thread: the last of all that had ended.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.interned import Interned

Ints = npt.NDArray[np.int64]

DATA, TIME = "data", "time"
# runs may be noted in microseconds: an input may seem to end a little after its reader starts
_TOLERANCE_PS = 1_000_000
# what the runtime may take to start an op whose inputs are there
_STARTING_PS = 50_000_000


@frozen_dataclass
class PathEvents:
    """Executions that may be part of a chain; `row` is whatever the caller knows them by."""

    row: Ints
    node: Interned
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.row)


@frozen_dataclass
class CriticalEvent:
    """One execution of the chain; `wait` lies between it and the one before, told by `by`."""

    row: int
    start: int
    end: int
    wait: int = 0
    by: str = ""


def critical_path(
    runs: PathEvents, reads: Callable[[str], Sequence[str] | None], begin: int
) -> list[CriticalEvent]:
    """In order of time; nothing that ended before `begin`. `reads` names the inputs of a node."""
    if not len(runs):
        return []
    order = np.lexsort((runs.start, runs.end))
    walk = _Walk(
        runs.start[order].tolist(),
        runs.end[order].tolist(),
        [runs.node.table[code] for code in runs.node.codes[order].tolist()],
        reads,
    )
    row = runs.row[order].tolist()
    found: list[CriticalEvent] = []
    at: int | None = len(order) - 1
    while at is not None and walk.end[at] > begin:
        found.append(CriticalEvent(row[at], walk.start[at], walk.end[at]))
        before, by = walk.before(at)
        if before is None or walk.end[before] <= begin:
            break
        found[-1] = replace(found[-1], wait=max(0, walk.start[at] - walk.end[before]), by=by)
        at = before
    return found[::-1]


class _Walk:
    """Executions by their end: every step back goes to an earlier place, so there is an end."""

    def __init__(
        self,
        start: list[int],
        end: list[int],
        node: list[str],
        reads: Callable[[str], Sequence[str] | None],
    ) -> None:
        self.start, self.end, self.node, self.reads = start, end, node, reads
        self._places: dict[str, list[int]] = {}
        for place, name in enumerate(node):
            self._places.setdefault(name, []).append(place)

    def before(self, at: int) -> tuple[int | None, str]:
        last = min(bisect_right(self.end, self.start[at]), at) - 1
        read = self._latest_input(at)
        if read is not None and (last < 0 or self.end[read] >= self.end[last] - _STARTING_PS):
            return read, DATA
        return (last, TIME) if last >= 0 else (None, "")

    def _latest_input(self, at: int) -> int | None:
        latest: int | None = None
        for name in self.reads(self.node[at]) or ():
            places = self._places.get(name, [])
            place = bisect_right(places, at - 1) - 1
            # of several executions of the input, the last that had ended
            while place >= 0 and self.end[places[place]] > self.start[at] + _TOLERANCE_PS:
                place -= 1
            if place >= 0 and (latest is None or places[place] > latest):
                latest = places[place]
        return latest
