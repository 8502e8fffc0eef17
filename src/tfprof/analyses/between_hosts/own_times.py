"""What each host takes of each step by itself: hosts in rows, steps in columns.

Hosts that train together end their steps together: who is slow is seen in what it does not wait.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.results.host_brief import HostBrief

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_NAMED = late_pattern("`[^`]*`")
WHY_NOT = "hosts mark their steps in different ways: which belong together is not known"


@frozen_dataclass
class OwnTimes:
    """`which` are the places of the hosts that are compared, `steps` the numbers of the steps.

    Picoseconds, NaN where a host has no such step. `usual_period` is of each step. `known` has
    what can be held against other steps, too: the last one may only be known up to where its
    marker closed, which is as much on all hosts. `met` is whether they meet in collectives.
    """

    which: tuple[int, ...]
    steps: tuple[int, ...]
    time: Floats
    known: Floats
    usual_period: Floats
    met: bool


def compared(hosts: Sequence[HostBrief]) -> tuple[int, ...]:
    """The places of those that mark their steps as most do; nobody if there are no two of them.

    Steps that were found by different rules, or are of different programs, are numbered
    differently.
    """
    marked = [_marked_by(one) for one in hosts]
    counts = Counter(marked)
    most = max(counts, key=lambda key: (counts[key], key), default=())
    found = tuple(at for at, key in enumerate(marked) if key == most)
    return found if len(found) > 1 else ()


def _marked_by(one: HostBrief) -> tuple[str, ...]:
    """The rule, and what it names."""
    return one.steps.rule, *_NAMED.findall(one.steps.about)


def own_times(hosts: Sequence[HostBrief]) -> OwnTimes:
    """By number of the step: hosts' clocks may differ."""
    which = compared(hosts)
    mine = [hosts[at] for at in which]
    seen = Counter(window.number for one in mine for window in one.steps.windows)
    steps = tuple(sorted(seen))
    column = {number: at for at, number in enumerate(steps)}
    time = np.full((len(mine), len(steps)), np.nan)
    known, periods = time.copy(), time.copy()
    meet = bool(mine) and all(one.meets for one in mine)
    for row, one in enumerate(mine):
        at = [column[window.number] for window in one.steps.windows]
        time[row, at] = _own(one, meet=meet)
        periods[row, at] = one.steps.periods
        known[row, at] = time[row, at]
        if meet and len(at) > 1 and one.steps.last_is_open:
            known[row, at[-1]] = np.nan
    usual = np.nanmedian(periods, axis=0) if mine else np.zeros(0)
    return OwnTimes(which, steps, time, known, usual, meet)


def exposed(one: HostBrief) -> Ints:
    """How long, a step, the host did nothing but wait in collectives, at least."""
    return np.array(one.exposed or (0,) * len(one.steps.windows), np.int64)


def _own(one: HostBrief, *, meet: bool) -> Ints:
    """Without what every device did nothing but wait in a collective, at least.

    Hosts that meet in collectives begin their steps together: what is not waited for others is
    their own, whether their threads are still in the step or already in the next. Else it is what
    the marker of the step holds.
    """
    windows = one.steps.windows
    whole = np.array([it.period if meet else it.duration for it in windows], np.int64)
    own: Ints = np.maximum(whole - exposed(one), 0)
    return own
