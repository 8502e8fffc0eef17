"""How far apart the clocks of hosts are, as the collectives tell in which they met.

A collective in which everybody needs something of everybody ends nowhere before it has begun
everywhere, which rules out much; and it ends about at the same time on all, so that the difference
of its ends is that of two clocks. Not quite: of rings on CPUs, each ends with another host first,
milliseconds apart and step after step the same. So all that the ends of collectives say is allowed,
but for what is ruled out; the offset is the middle of that, known as well as that is narrow, and no
better than the quickest exchanges took: as long as the one was in them that came last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tfprof.model.quantity import Quantity
from tfprof.model.units import PS_A_NANOSECOND, as_micros
from tfprof.results.between_hosts import ClockOffset
from tfprof.results.host_brief import HostBrief

Ints = npt.NDArray[np.int64]

# fewer cannot contradict each other
FEWEST = 3
# of the exchanges, the quickest
_QUICKEST = 4
# of what the ends of a collective say in all steps: a host that was held up once says nothing
_USUAL = (5, 95)
# clocks of computers run apart by less than this: 100 microseconds a second
_DRIFT = 1e-4
# rules by which the program itself numbers its steps, so that they are the same on all hosts
_NUMBERED = ("step_num",)
_NOT_NUMBERED = "numbered through here"

_BOTH = ("begin", "end")
NO_COLLECTIVES = "no collective that all take part in was recorded"
_ALONE = "it shares no collectives with {}"
_FEW = "it shares only {} collectives with {}, and {} are needed"
_APART = (
    "collectives that are called the same did not end together with those of {}: they seem to be "
    "of other hosts"
)
_WHICH_STEP = (
    "hosts count their steps themselves, and its clock is further from that of {} than half a "
    "step: which steps belong together is not known"
)


class Clocks(NamedTuple):
    """By the place of a host; `reference` is the place of the one that all are held against."""

    reference: int | None
    offsets: Sequence[ClockOffset]

    def picoseconds(self, at: int) -> int | None:
        number = self.offsets[at].offset.number
        return None if number is None else round(number * 1_000_000)


def clocks_of(hosts: Sequence[HostBrief], which: Sequence[int]) -> Clocks:
    """Of those at the places `which`, whose steps can be compared."""
    asked = set(which)
    steps = [_by_number(one) if at in asked else {} for at, one in enumerate(hosts)]
    reference = _reference(hosts, steps)
    if reference is None:
        none = _unknown(NO_COLLECTIVES)
        return Clocks(None, [none] * len(hosts))
    against = _Reference(
        hosts[reference], steps[reference], _exchanges(steps), _drift(steps[reference])
    )
    offsets = [
        ClockOffset(Quantity.estimated(0.0), 0, sum(len(it.end) for it in steps[at].values()))
        if at == reference
        else _offset(against, one, steps[at])
        for at, one in enumerate(hosts)
    ]
    if not any(one.offset.known for at, one in enumerate(offsets) if at != reference):
        why = next(one.reason for one in offsets if one.reason)
        return Clocks(None, [_unknown(one.reason or why) for one in offsets])
    return Clocks(reference, offsets)


class _Met(NamedTuple):
    """The collectives of a step, by the host's clock; those of equal digests are the same."""

    digest: str
    begin: Ints
    end: Ints


# by the number of the step
_Steps = Mapping[int, _Met]


class _Reference(NamedTuple):
    """The host that others are held against.

    How long each exchange took at most, and how far clocks may have run apart from the first
    collective to the last.
    """

    host: HostBrief
    steps: _Steps
    exchanges: Mapping[tuple[int, str], Ints]
    slack: int


class _Samples(NamedTuple):
    """Collectives of two hosts, a row a step: how much later the one ended, by clocks that differ.

    An exchange took so long at most; the difference of the clocks is from `least` to `most`.
    """

    exchange: Ints
    later: Ints
    least: Ints
    most: Ints


def _by_number(one: HostBrief) -> _Steps:
    found = {}
    for window, met in zip(one.steps.windows, one.meetings.steps, strict=False):
        if met is not None:
            begin, end = np.array(met.begin, np.int64), np.array(met.end, np.int64)
            found[window.number] = _Met(one.meetings.kinds[met.kind].digest, begin, end)
    return found


def _exchanges(steps: Sequence[_Steps]) -> Mapping[tuple[int, str], Ints]:
    """How long whoever came last was in each collective: that is how long it took, at most."""
    found: dict[tuple[int, str], Ints] = {}
    for mine in steps:
        for number, met in mine.items():
            key, took = (number, met.digest), met.end - met.begin
            found[key] = np.minimum(found[key], took) if key in found else took
    return found


def _reference(hosts: Sequence[HostBrief], steps: Sequence[_Steps]) -> int | None:
    """Of those that met others most often the one whose clock is in the middle."""
    shared: dict[tuple[int, str], int] = {}
    for mine in steps:
        for number, met in mine.items():
            shared[number, met.digest] = shared.get((number, met.digest), 0) + len(met.end)
    often = [sum(shared[key, met.digest] for key, met in mine.items()) for mine in steps]
    most = max(often, default=0)
    best = [at for at, count in enumerate(often) if count == most]
    if len(steps) < 2 or not most:
        return None
    numbers = set.intersection(*(set(steps[at]) for at in best))
    if not numbers:
        return min(best, key=lambda at: (hosts[at].host, hosts[at].rank))
    first = min(numbers)

    def ended(at: int) -> tuple[int, str]:
        origin = hosts[at].origin_ns * PS_A_NANOSECOND
        return origin + int(steps[at][first].end.max()), hosts[at].host

    return sorted(best, key=ended)[(len(best) - 1) // 2]


def _offset(against: _Reference, one: HostBrief, mine: _Steps) -> ClockOffset:
    named = against.host.host
    parts = list(_samples(against, mine))
    count = sum(part.later.size for part in parts)
    if not count:
        return _unknown(_ALONE.format(named) if mine else NO_COLLECTIVES)
    if count < FEWEST:
        return _unknown(_FEW.format(count, named, FEWEST))
    least, most = max(int(it.least.max()) for it in parts), min(int(it.most.min()) for it in parts)
    if least > most + against.slack:
        return _unknown(_APART.format(named))
    offset, within = _middle_of(least - against.slack, most + against.slack, parts)
    # what captures count from is no part of the columns: clocks may be years apart
    offset += (one.origin_ns - against.host.origin_ns) * PS_A_NANOSECOND
    if not _numbered_alike(against.host, one) and 2 * abs(offset) > _period(against.host):
        return _unknown(_WHICH_STEP.format(named))
    return ClockOffset(Quantity.estimated(as_micros(offset)), within, count)


def _samples(against: _Reference, mine: _Steps) -> Iterator[_Samples]:
    """Together what is of the same collectives."""
    alike: dict[str, list[tuple[Ints, _Met, _Met]]] = {}
    for number, met in mine.items():
        other = against.steps.get(number)
        if other is not None and other.digest == met.digest:
            took = against.exchanges[number, met.digest]
            alike.setdefault(met.digest, []).append((took, met, other))
    for steps in alike.values():
        exchange = np.stack([took for took, _, _ in steps])
        begin, end = (np.stack([getattr(it, key) for _, it, _ in steps]) for key in _BOTH)
        theirs, ended = (np.stack([getattr(it, key) for _, _, it in steps]) for key in _BOTH)
        yield _Samples(exchange, end - ended, begin - ended, end - theirs)


def _drift(steps: _Steps) -> int:
    ends = [met.end for met in steps.values()]
    return round(_DRIFT * (max(int(end.max()) for end in ends) - min(int(e.min()) for e in ends)))


def _middle_of(least: int, most: int, parts: Sequence[_Samples]) -> tuple[int, int]:
    """Of what the ends of all collectives say and nothing rules out; and how far it may be off.

    Where the ends of one say step after step what is ruled out, nothing is: some may be among the
    devices of each host alone, and which ones, nothing tells.
    """
    usual = [np.percentile(part.later, _USUAL, axis=0, method="nearest") for part in parts]
    low, high = min(int(it[0].min()) for it in usual), max(int(it[1].max()) for it in usual)
    within = _quickest(parts)
    if all(((it >= least) & (it <= most)).all() for it in (_middle(part.later) for part in parts)):
        low, high = max(low, least), min(high, most)
        within = min(within, (most - least + 1) // 2)
    return (low + high) // 2, max((high - low + 1) // 2, within)


def _quickest(parts: Sequence[_Samples]) -> int:
    exchange = np.sort(np.concatenate([part.exchange.ravel() for part in parts]))
    return int(exchange[: max(FEWEST, len(exchange) // _QUICKEST)].max())


def _middle(values: Ints) -> Ints:
    """The median down the rows; of two in the middle the lower one, which is whole."""
    found: Ints = np.sort(values, axis=0)[(len(values) - 1) // 2]
    return found


def _numbered_alike(*hosts: HostBrief) -> bool:
    return all(
        one.steps.rule in _NUMBERED and _NOT_NUMBERED not in one.steps.about for one in hosts
    )


def _period(one: HostBrief) -> int:
    return int(_middle(np.array(one.steps.known_periods, np.int64)))


def _unknown(reason: str) -> ClockOffset:
    return ClockOffset(Quantity.unknown(reason), reason=reason)
