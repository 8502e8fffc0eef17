"""Hosts that are behind the others, most of the time or again and again.

How far is behind is told by the others: a median, and the median deviation from it (MAD), do not
move because one is late. That is asked in every step; and a host that is behind in some of them is
told from chance by how often the others are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.between_hosts.own_times import OwnTimes, own_times
from tfprof.model.medians import median_of
from tfprof.results.host_brief import HostBrief
from tfprof.results.host_steps import Straggler

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# of a step's period: being behind by less is not worth a word
BEHIND = 0.1
# deviations of the others, each 1.48 of what chance would make a standard deviation
FAR = 3 * 1.4826
_FEWEST_STEPS = 2
# fewer steps, or a smaller part of them, can be chance
_AGAIN, _OFTEN = 3, 0.1
# among so many hosts one does not move the median
_MANY = 64


def leads(time: Floats) -> tuple[Floats, Floats]:
    """How far each host is behind the median of the others, and their deviation: in each step."""
    if len(time) > _MANY:
        usual = np.nanmedian(time, axis=0)
        spread = np.nanmedian(np.abs(time - usual), axis=0)
        return time - usual, np.broadcast_to(spread, time.shape)
    lead, spread = np.full_like(time, np.nan), np.full_like(time, np.nan)
    for row in range(len(time)):
        others = np.delete(time, row, axis=0)
        known = ~np.isnan(others).all(axis=0)
        usual = np.nanmedian(others[:, known], axis=0)
        lead[row, known] = time[row, known] - usual
        spread[row, known] = np.nanmedian(np.abs(others[:, known] - usual), axis=0)
    return lead, spread


def behind(found: OwnTimes) -> tuple[Mask, Floats]:
    """In which steps each host is behind the others, and by how much it leads anyway."""
    if not len(found.which):
        return np.zeros((0, 0), bool), np.zeros((0, 0))
    lead, spread = leads(found.time)
    late: Mask = (lead > BEHIND * found.usual_period) & (lead > FAR * spread)
    return late, lead


def straggling_hosts(hosts: Sequence[HostBrief]) -> list[Straggler]:
    """By what they take of a step without waiting in collectives for other hosts; worst first."""
    found = own_times(hosts)
    late, lead = behind(found)
    taken = (~np.isnan(lead)).sum(axis=1)
    often = late.sum(axis=1)
    told = []
    for row in np.flatnonzero(named(often, taken)).tolist():
        mine = late[row]
        share = median_of(lead[row, mine] / found.usual_period[mine])
        by = int(median_of(lead[row, mine]))
        name = hosts[found.which[row]].host
        told.append(Straggler("host", name, "step", int(often[row]), int(taken[row]), by, share))
    return sorted(told, key=lambda one: (-one.share * one.steps / one.of_steps, one.name))


def named(often: npt.NDArray[np.int64], taken: npt.NDArray[np.int64]) -> Mask:
    """Who is behind in most steps; or in some, far more often than most of the hosts."""
    if not len(often):
        return np.zeros(0, bool)
    most = (2 * often > taken) & (taken >= _FEWEST_STEPS)
    usual = median_of(often)
    chance = usual + FAR * median_of(np.abs(often - usual))
    found: Mask = most | ((often >= _AGAIN) & (often >= _OFTEN * taken) & (often > chance))
    return found


def slow_everywhere(found: OwnTimes) -> list[int]:
    """The steps that took longer on most hosts: no host of its own is to blame."""
    if len(found.steps) < _AGAIN or not len(found.which):
        return []
    known = np.flatnonzero(~np.isnan(found.known).all(axis=0))
    middle = np.nanmedian(found.known[:, known], axis=0)
    usual = median_of(middle)
    spread = median_of(np.abs(middle - usual))
    late = (middle - usual > BEHIND * usual) & (middle - usual > FAR * spread)
    return [found.steps[at] for at in known[late].tolist()]
