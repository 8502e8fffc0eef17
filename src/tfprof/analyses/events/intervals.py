"""Stretches of time as sorted columns that neither overlap nor touch: what is joined, cut, summed.

Picoseconds, or any other integers; an interval holds its start and not its end.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass

Ints = npt.NDArray[np.int64]


@frozen_dataclass
class Intervals:
    starts: Ints
    ends: Ints

    @classmethod
    def none(cls) -> Intervals:
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    @classmethod
    def union(cls, starts: npt.ArrayLike, ends: npt.ArrayLike) -> Intervals:
        """Of any intervals in any order; empty ones are dropped."""
        first, last = np.asarray(starts, np.int64), np.asarray(ends, np.int64)
        filled = last > first
        if not filled.all():
            first, last = first[filled], last[filled]
        if not len(first):
            return cls.none()
        if (first[1:] < first[:-1]).any():
            return cls._reaching(*(np.sort(one, kind="stable") for one in (first, last)))
        return cls._reaching(first, np.maximum.accumulate(last))

    @classmethod
    def _reaching(cls, first: Ints, reach: Ints) -> Intervals:
        """By start; `reach` is how far those up to each go. One begins anew behind all before it.

        Ends that were sorted by themselves do as well. Who has ended before a start has begun
        before it, too: if so many ends lie there as there are starts, nothing goes on.
        """
        ended = np.flatnonzero(first[1:] > reach[:-1])
        starts, ends = (np.empty(len(ended) + 1, np.int64) for _ in range(2))
        ends[:-1], ends[-1] = reach[ended], reach[-1]
        ended += 1
        starts[0], starts[1:] = first[0], first[ended]
        return cls(starts, ends)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def lengths(self) -> Ints:
        return self.ends - self.starts

    @property
    def length(self) -> int:
        return int(self.lengths.sum())

    def join(self, *others: Intervals) -> Intervals:
        """What is in any of them."""
        every = [one for one in (self, *others) if len(one)]
        if len(every) < 2:
            return every[0] if every else self
        starts = np.concatenate([one.starts for one in every])
        ends = np.concatenate([one.ends for one in every])
        # each is sorted already: a stable sort only merges them
        starts.sort(kind="stable")
        ends.sort(kind="stable")
        return Intervals._reaching(starts, ends)

    def minus(self, other: Intervals) -> Intervals:
        """What is not in the other."""
        if not len(self) or not len(other):
            return self
        return self.both(other.gaps(int(self.starts[0]), int(self.ends[-1])))

    def both(self, other: Intervals) -> Intervals:
        """What is in both."""
        # an interval of one meets a run of neighbours of the other
        first = np.searchsorted(other.ends, self.starts, side="right")
        count = np.searchsorted(other.starts, self.ends, side="left") - first
        mine = np.repeat(np.arange(len(self)), count)
        before = np.cumsum(count) - count
        theirs = np.arange(len(mine)) + np.repeat(first - before, count)
        starts = np.maximum(self.starts[mine], other.starts[theirs])
        return Intervals(starts, np.minimum(self.ends[mine], other.ends[theirs]))

    def within(self, begin: int, end: int) -> Intervals:
        """What lies from `begin` to `end`."""
        low = int(np.searchsorted(self.ends, begin, side="right"))
        high = max(low, int(np.searchsorted(self.starts, end, side="left")))
        if end <= begin:
            return Intervals.none()
        starts = np.maximum(self.starts[low:high], begin)
        return Intervals(starts, np.minimum(self.ends[low:high], end))

    def gaps(self, begin: int, end: int) -> Intervals:
        """What lies from `begin` to `end` and is in none."""
        inside = self.within(begin, end)
        return Intervals.union(np.append(begin, inside.ends), np.append(inside.starts, end))

    def covered(self, times: npt.ArrayLike) -> Ints:
        """How much lies before each time; between two times lies the difference."""
        at = np.asarray(times, np.int64)
        if not len(self):
            return np.zeros(at.shape, np.int64)
        before = np.append(0, np.cumsum(self.lengths))
        place = np.searchsorted(self.starts, at, side="right")
        last = np.maximum(place - 1, 0)
        beyond = np.maximum(self.ends[last] - at, 0)
        found: Ints = np.where(place > 0, before[place] - beyond, 0)
        return found

    def covered_between(self, begins: npt.ArrayLike, ends: npt.ArrayLike) -> Ints:
        """How much lies in each of many windows; 0 in one that ends before it begins."""
        found: Ints = np.maximum(self.covered(ends) - self.covered(begins), 0)
        return found
