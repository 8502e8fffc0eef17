"""Which time memory was given back belongs to which time it was taken."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@frozen_dataclass
class Blocks:
    """One row a block: the changes that took it and gave it back, by their place in time.

    A block that stays is given back at the place behind the last change.
    """

    taken: Ints
    given_back: Ints
    bytes: Ints

    def __len__(self) -> int:
        return len(self.taken)

    def alive_after(self, changes: int) -> Ints:
        """The blocks that are held after so many changes, largest first."""
        alive = np.flatnonzero((self.taken < changes) & (self.given_back >= changes))
        return alive[np.argsort(-self.bytes[alive], kind="stable")]


def by_address(place: Ints, taking: Mask, size: Ints) -> Blocks:
    """Where each change names an address: a block lasts until the next change there.

    What is taken twice was given back in between, though the record of it is lost. `place` is the
    address of each change, numbered through.
    """
    count = len(place)
    order = np.argsort(place, kind="stable")
    following = np.full(count, count, np.int64)
    same = place[order[1:]] == place[order[:-1]]
    following[order[:-1][same]] = order[1:][same]
    taken = np.flatnonzero(taking)
    return Blocks(taken, following[taken], size[taken])


def by_size(owner: Ints, change: Ints) -> Blocks:
    """Where only the owner and the size tell: the one taken first is given back first.

    What is given back without having been taken is left out.
    """
    count = len(change)
    order = np.lexsort((np.arange(count), np.abs(change), owner))
    taking = change[order] > 0
    begins = np.ones(count, bool)
    begins[1:] = (np.diff(owner[order]) != 0) | (np.diff(np.abs(change[order])) != 0)
    group = np.cumsum(begins) - 1
    counts = taking | _covered(taking, begins)
    order, taking, group = order[counts], taking[counts], group[counts]
    taken, given_back = order[taking], order[~taking]
    # the n-th taken of a group belongs to the n-th given back
    taken_key = group[taking] * (count + 1) + _rank(group[taking])
    given_key = group[~taking] * (count + 1) + _rank(group[~taking])
    ends = np.full(len(taken), count, np.int64)
    ends[np.searchsorted(taken_key, given_key)] = given_back
    by_time = np.argsort(taken)
    return Blocks(taken[by_time], ends[by_time], change[taken[by_time]])


def _covered(taking: Mask, begins: Mask) -> Mask:
    """Which of those that give back find something taken before in their group."""
    balance = np.cumsum(np.where(taking, 1, -1))
    starts = np.flatnonzero(begins)
    group = np.cumsum(begins) - 1
    before = (balance - np.where(taking, 1, -1))[starts]
    balance = balance - before[group]
    # the lowest balance so far, group after group: each is shifted below all of the groups before
    shift = group * (2 * len(taking) + 2)
    lowest = np.minimum.accumulate(np.minimum(balance, 0) - shift) + shift
    previous = np.concatenate([[0], lowest[:-1]])
    previous[starts] = 0
    covered: Mask = ~taking & (lowest == previous)
    return covered


def _rank(group: Ints) -> Ints:
    """The place of each row in its group; groups stand together."""
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    first = np.repeat(starts, np.diff(np.append(starts, len(group))))
    return np.arange(len(group)) - first
