"""Who waits for whom in collectives: who came last kept the others there, and waited least.

That needs no clocks: a collective ends about together on all hosts, so who was in it for the
shortest time came last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.between_hosts.own_times import exposed
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.host_brief import HostBrief

Floats = npt.NDArray[np.float64]

NO_SHARED = "no step has the same collectives on two hosts"


@frozen_dataclass
class Waits:
    """Picoseconds of all compared steps, by the place of a host; `steps` is how many those are.

    `pairs` is how long the host of a row waited for that of a column, `last_steps` in how many
    steps a host was waited for most, `gain` how much sooner they would have ended had it come with
    the one before it. `costly` is the collective that is waited in most.
    """

    steps: int
    met: npt.NDArray[np.int64]
    pairs: Floats
    last_steps: npt.NDArray[np.int64]
    gain: Floats
    costly: str | None

    @property
    def waited(self) -> Floats:
        found: Floats = self.pairs.sum(axis=1)
        return found

    @property
    def caused(self) -> Floats:
        found: Floats = self.pairs.sum(axis=0)
        return found


@frozen_dataclass
class _Step:
    """The hosts that have the same collectives in a step.

    A row a host, a column a collective: how long it was in it, and what of that it waited.
    """

    names: tuple[str, ...]
    hosts: tuple[int, ...]
    blocked: Floats
    waited: Floats


def waits_of(hosts: Sequence[HostBrief], which: Sequence[int]) -> Waits | None:
    """None where hosts never met."""
    count = len(hosts)
    pairs, gain = np.zeros((count, count)), np.zeros(count)
    last_steps, met = np.zeros(count, np.int64), np.zeros(count, np.int64)
    cost: Counter[str] = Counter()
    steps = 0
    for one in _shared(hosts, which):
        steps += 1
        places = np.array(one.hosts)
        waited = one.waited
        last = places[one.blocked.argmin(axis=0)]
        met[places] += 1
        caused = np.zeros(count)
        for column, late in enumerate(last.tolist()):
            pairs[places, late] += waited[:, column]
            caused[late] += waited[:, column].sum()
            gain[late] += np.partition(waited[:, column], 1)[1]
            cost[one.names[column]] += int(waited[:, column].sum())
        if caused.any():
            last_steps[caused.argmax()] += 1
    if not steps:
        return None
    costly = max(cost, key=lambda name: (cost[name], name)) if any(cost.values()) else None
    return Waits(steps, met, pairs, last_steps, gain, costly)


def _shared(hosts: Sequence[HostBrief], which: Sequence[int]) -> Iterator[_Step]:
    """Step after step, those with the same collectives; of several groups the largest."""
    alike: dict[int, dict[str, list[tuple[int, int]]]] = {}
    for at in which:
        one = hosts[at]
        for row, (window, met) in enumerate(
            zip(one.steps.windows, one.meetings.steps, strict=False)
        ):
            if met is not None:
                digest = one.meetings.kinds[met.kind].digest
                alike.setdefault(window.number, {}).setdefault(digest, []).append((at, row))
    bounds = {at: exposed(hosts[at]) for at in which}
    for number in sorted(alike):
        found = alike[number]
        digest = max(found, key=lambda key: (len(found[key]), key))
        if len(found[digest]) > 1:
            yield _step(hosts, found[digest], bounds)


def _step(
    hosts: Sequence[HostBrief],
    places: Sequence[tuple[int, int]],
    bounds: dict[int, npt.NDArray[np.int64]],
) -> _Step:
    """Being in a collective beside other work is not waiting: only what nothing hides counts."""
    met = [(hosts[at].meetings, hosts[at].meetings.steps[row]) for at, row in places]
    blocked = np.array([one.blocked for _, one in met if one is not None], np.float64)
    waited = blocked - blocked.min(axis=0)
    whole = np.maximum(waited.sum(axis=1), 1.0)
    bound = np.array([bounds[at][row] for at, row in places], np.float64)
    waited *= np.minimum(1.0, bound / whole)[:, None]
    names = next(kept.kinds[one.kind].names for kept, one in met if one is not None)
    return _Step(names, tuple(at for at, _ in places), blocked, waited)
