"""Questions about a whole tree at once, however deep: who stands above, in which order, how many.

A tree is a column of parents; row 0 is the root, its own parent. Each answer takes as many passes
over the column as the depth has binary digits, so a chain of 100,000 costs seventeen, not 100,000.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

ROOT_AT = 0
_NONE = -1
# names are nested in so many scopes at most; graphs are deeper
_FEW_LEVELS = 16


def nearest(parent: Ints, marked: Mask) -> Ints:
    """The closest marked row above each row; the root where there is none."""
    stops = marked.copy()
    stops[ROOT_AT] = True
    found = parent.copy()
    going = np.flatnonzero(~stops[found])
    while len(going):
        # whatever lies between a row and where it points is unmarked: steps double each time
        found[going] = found[found[going]]
        going = going[~stops[found[going]]]
    return found


def depths(parent: Ints) -> Ints:
    """How many steps the root is away."""
    depth = np.ones(len(parent), np.int64)
    depth[ROOT_AT] = 0
    above = parent.copy()
    going = np.flatnonzero(above != ROOT_AT)
    while len(going):
        depth[going], above[going] = (
            depth[going] + depth[above[going]],
            above[above[going]],
        )
        going = going[above[going] != ROOT_AT]
    return depth


@frozen_dataclass
class Walk:
    """Parents before children, siblings in order: each row's place, and how many rows it spans."""

    position: Ints
    size: Ints

    @classmethod
    def of(cls, parent: Ints, rank: Ints | None = None) -> Walk:
        """Siblings stand in the order of `rank`, or else of their rows."""
        count = len(parent)
        if rank is None:
            size = _sizes_in_order(parent)
            if size is not None:
                return cls(np.arange(count), size)
        first, following = _family(parent, rank)
        has_next = following != _NONE
        holder = np.where(has_next, np.arange(count), nearest(parent, has_next))
        after = np.where(has_next[holder], following[holder], count)  # count: the end of the walk
        position = _ranked(np.where(first != _NONE, first, after))
        return cls(position[:count], position[after] - position[:count])

    @property
    def order(self) -> Ints:
        """The rows as they are walked."""
        order = np.empty_like(self.position)
        order[self.position] = np.arange(len(order))
        return order

    @property
    def is_in_row_order(self) -> bool:
        return np.array_equal(self.position, np.arange(len(self.position)))

    def sums(self, values: Ints, left_out: Mask | None = None) -> Ints:
        """What each row and everything below it comes to: a difference of running totals.

        What is left out is not added, and has a sum all the same.
        """
        order, end = self.order, self.position + self.size
        skipped = np.flatnonzero(left_out[order]) if left_out is not None else np.zeros(0, int)
        running = np.zeros(len(values) + 1, np.int64)
        totals = np.zeros(values.shape, np.int64, order="F")
        for column, total in (
            zip(values.T, totals.T, strict=True) if values.ndim > 1 else ((values, totals),)
        ):
            if column.any():  # most metrics are those of a run, of some memory or of an op log
                walked = column[order]
                walked[skipped] = 0
                np.cumsum(walked, out=running[1:])
                np.subtract(running[end], running[self.position], out=total)
        return totals

    def kept(self, keep: Mask) -> Walk:
        """The walk over some rows alone, which go on to be counted from 0."""
        rows = np.flatnonzero(keep)
        before = np.concatenate([[0], np.cumsum(keep[self.order])])
        position = before[self.position[rows]]
        return Walk(position, before[self.position[rows] + self.size[rows]] - position)


def renumbered(rows: Ints, keep: Mask) -> Ints:
    """Row numbers as they are once only the kept rows are counted."""
    number: Ints = np.cumsum(keep) - 1
    return number[rows]


def _sizes_in_order(parent: Ints) -> Ints | None:
    """How many rows each spans, if they stand in the order of a walk, as most names in order do.

    None if they do not, or if the tree is deep.
    """
    depth = depths(parent)
    deepest = int(depth.max(initial=0))
    if deepest > _FEW_LEVELS:
        return None
    # whatever spans a row ends before the next that is no deeper
    size = np.empty_like(parent)
    for level in range(deepest + 1):
        rows = np.flatnonzero(depth <= level)
        ends = np.append(rows[1:], len(parent))
        here = depth[rows] == level
        size[rows[here]] = (ends - rows)[here]
    row, above = np.arange(1, len(parent)), parent[1:]
    return size if ((above < row) & (row < above + size[above])).all() else None


def _family(parent: Ints, rank: Ints | None) -> tuple[Ints, Ints]:
    """The first child and the next sibling of each row."""
    first, following = np.full((2, len(parent)), _NONE, np.int64)
    below = parent[1:]
    by = np.argsort(below, kind="stable") if rank is None else np.lexsort((rank[1:], below))
    rows, above = by + 1, below[by]
    alike = above[1:] == above[:-1]
    following[rows[:-1][alike]] = rows[1:][alike]
    leads = np.concatenate([[True], ~alike])[: len(rows)]
    first[above[leads]] = rows[leads]
    return first, following


def _ranked(following: Ints) -> Ints:
    """Places in a linked list that starts at row 0 and runs off the end; and the end's place."""
    end = len(following)
    following = np.append(following, end)
    left = np.ones(end + 1, np.int64)
    left[end] = 0
    while following[ROOT_AT] != end:
        left += left[following]
        following = following[following]
    places: Ints = left[ROOT_AT] - left
    return places
