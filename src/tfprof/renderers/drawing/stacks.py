"""Parts that lie on one another, in whole cells, and many stacks as few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

LONGER = "»"


def lengths(parts: Sequence[float], whole: float, room: int) -> list[int]:
    """How many cells each part takes. Where it ends is never more than half a cell off."""
    ends = [round(room * end / whole) if whole else 0 for end in accumulate(parts)]
    return [end - begin for begin, end in pairwise([0, *ends])]


def spans(count: int, most: int) -> list[range]:
    """Neighbours together, as many in each as there have to be for `most` to be enough."""
    size = -(-count // most)
    return [range(first, min(first + size, count)) for first in range(0, count, size)]


def means(values: Sequence[float], groups: Sequence[range]) -> Iterator[float]:
    return (sum(values[at] for at in group) / len(group) for group in groups)
