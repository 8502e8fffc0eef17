"""How many values are about how large: quantiles of what many hosts measured.

A value is counted in one of some two thousand buckets, each so narrow that its middle is within 1 %
of everything in it. The buckets are always the same, and counts are whole numbers: sketches of
hosts add up to the sketch of all of them, in whichever order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass

Ints = npt.NDArray[np.int64]

# the middle of a bucket is so far from its ends at most, in percent
_ERROR = 1


@frozen_dataclass
class Sketch:
    """Of whole numbers from 0 on, such as picoseconds: the buckets in use and their counts."""

    buckets: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()

    @classmethod
    def of(cls, values: Ints) -> Sketch:
        buckets, counts = np.unique(_buckets_of(values), return_counts=True)
        return cls(tuple(buckets.tolist()), tuple(counts.tolist()))

    @classmethod
    def merged(cls, parts: Iterable[Sketch]) -> Sketch:
        together: Counter[int] = Counter()
        for part in parts:
            together.update(dict(zip(part.buckets, part.counts, strict=True)))
        buckets = tuple(sorted(together))
        return cls(buckets, tuple(together[bucket] for bucket in buckets))

    def merge(self, other: Sketch) -> Sketch:
        return Sketch.merged((self, other))

    def __len__(self) -> int:
        return sum(self.counts)

    def at(self, rank: int) -> float | None:
        """About the value that so many are before in order; None if there are not so many."""
        for bucket, count in zip(self.buckets, self.counts, strict=True):
            if rank < count:
                return _middle(bucket)
            rank -= count
        return None

    def quantile(self, share: float) -> float | None:
        """About what a share of the values, 0 to 1, is below or at."""
        return self.at(int(share * max(0, len(self) - 1)))

    @property
    def median(self) -> float | None:
        """Of an even number the mean of the two in the middle."""
        low, high = self.at((len(self) - 1) // 2), self.at(len(self) // 2)
        return None if low is None or high is None else (low + high) / 2


def sketches(values: Ints, sizes: Ints) -> list[Sketch]:
    """Of groups: `values` stand group by group, sorted in each, `sizes` are how many each has."""
    buckets = _buckets_of(values)
    group = np.repeat(np.arange(len(sizes)), sizes)
    news = (buckets[1:] != buckets[:-1]) | (group[1:] != group[:-1])
    first = np.flatnonzero(np.append(True, news)[: len(values)])
    counts = np.diff(first, append=len(values)).tolist()
    used = buckets[first].tolist()
    ends = np.searchsorted(first, np.cumsum(sizes)).tolist()
    return [
        Sketch(tuple(used[begin:end]), tuple(counts[begin:end]))
        for begin, end in zip([0, *ends], ends, strict=False)
    ]


@cache
def _most() -> Ints:
    """The largest value of each bucket.

    From whole numbers alone: where a bucket ends is the same on every machine.
    """
    found, last, largest = [0], 0, np.iinfo(np.int64).max
    while last < largest:
        last = min((last + 1) * (100 + _ERROR) // (100 - _ERROR), largest)
        found.append(last)
    return np.array(found, np.int64)


def _buckets_of(values: Ints) -> Ints:
    if len(values) and values.min() < 0:
        raise ValueError("a sketch counts from 0 on")
    return np.searchsorted(_most(), values)


def _middle(bucket: int) -> float:
    """As far from the least value as from the largest, by their ratio; exact if they are one."""
    largest = int(_most()[bucket])
    least = int(_most()[bucket - 1]) + 1 if bucket else 0
    return float(largest) if least == largest else 2 * least * largest / (least + largest)
