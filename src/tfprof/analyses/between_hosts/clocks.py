"""How far apart the clocks of hosts are, as the collectives tell in which they met.

A collective in which everybody needs something of everybody ends nowhere before it has begun
everywhere, and about at the same time on all. So the difference of its ends is that of two clocks,
off by no more than the exchange takes once all are there: how long the one was in it that came
last. As with NTP, the quickest exchanges tell most; and what none of them allows is ruled out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median_low
from typing import NamedTuple

from tfprof.model.quantity import Quantity
from tfprof.model.units import PS_A_NANOSECOND, as_micros
from tfprof.results.between_hosts import ClockOffset
from tfprof.results.host_steps import HostSteps
from tfprof.results.meetings import StepMeetings

# fewer cannot contradict each other
FEWEST = 3
# of the exchanges, the quickest
_QUICKEST = 4
# clocks of computers run apart by less than this: 100 microseconds a second
_DRIFT = 1e-4
# rules by which the program itself numbers its steps, so that they are the same on all hosts
_NUMBERED = ("step_num",)
_NOT_NUMBERED = "numbered through here"

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


class _Sample(NamedTuple):
    """A collective of two hosts: how much later the one ended, by clocks that differ.

    The exchange took so long at most; the difference of the clocks is from `least` to `most`.
    """

    exchange: int
    later: int
    least: int
    most: int
    which: tuple[str, int]


def clocks_of(hosts: Sequence[HostSteps], which: Sequence[int]) -> Clocks:
    """Of those at the places `which`, whose steps can be compared."""
    asked = set(which)
    steps = [_by_number(one) if at in asked else {} for at, one in enumerate(hosts)]
    reference = _reference(hosts, steps)
    if reference is None:
        none = ClockOffset(Quantity.unknown(NO_COLLECTIVES), reason=NO_COLLECTIVES)
        return Clocks(None, [none] * len(hosts))
    quickest = _quickest(steps)
    offsets = [
        ClockOffset(Quantity.estimated(0.0), 0, sum(len(it.end) for it in steps[at].values()))
        if at == reference
        else _against(hosts[reference], steps[reference], one, steps[at], quickest)
        for at, one in enumerate(hosts)
    ]
    if not any(one.offset.known for at, one in enumerate(offsets) if at != reference):
        why = next(one.reason for one in offsets if one.reason)
        return Clocks(None, [_unknown(one.reason or why) for one in offsets])
    return Clocks(reference, offsets)


# by the number of a step and what its collectives are: a value each
_Exchanges = Mapping[tuple[int, str], tuple[int, ...]]


class _Met(NamedTuple):
    """A step by what its collectives are: equal ones are the same on both hosts."""

    digest: str
    begin: tuple[int, ...]
    end: tuple[int, ...]


def _quickest(steps: Sequence[Mapping[int, _Met]]) -> _Exchanges:
    """How long whoever came last was in each collective: that is how long it took, at most."""
    found: dict[tuple[int, str], tuple[int, ...]] = {}
    for mine in steps:
        for number, met in mine.items():
            took = tuple(end - begin for begin, end in zip(met.begin, met.end, strict=True))
            before = found.get((number, met.digest), took)
            found[number, met.digest] = tuple(map(min, took, before))
    return found


def _by_number(one: HostSteps) -> Mapping[int, _Met]:
    """By the number of the step; times on the clock of the host."""
    origin = one.origin_ns * PS_A_NANOSECOND
    found = {}
    for window, met in zip(one.steps.windows, one.meetings.steps, strict=False):
        if met is not None:
            found[window.number] = _at(origin, one.meetings.kinds[met.kind].digest, met)
    return found


def _at(origin: int, digest: str, met: StepMeetings) -> _Met:
    begin, end = (tuple(origin + time for time in times) for times in (met.begin, met.end))
    return _Met(digest, begin, end)


def _reference(hosts: Sequence[HostSteps], steps: Sequence[Mapping[int, _Met]]) -> int | None:
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
    ordered = sorted(best, key=lambda at: (max(steps[at][first].end), hosts[at].host))
    return ordered[(len(ordered) - 1) // 2]


def _against(
    reference: HostSteps,
    known: Mapping[int, _Met],
    one: HostSteps,
    mine: Mapping[int, _Met],
    quickest: _Exchanges,
) -> ClockOffset:
    samples = list(_samples(known, mine, quickest))
    named = reference.host
    if not mine or not samples:
        return _unknown(_ALONE.format(named) if mine else NO_COLLECTIVES)
    if len(samples) < FEWEST:
        return _unknown(_FEW.format(len(samples), named, FEWEST))
    ends = [end for met in known.values() for end in met.end]
    slack = round(_DRIFT * (max(ends) - min(ends)))
    least, most = max(it.least for it in samples), min(it.most for it in samples)
    if least > most + slack:
        return _unknown(_APART.format(named))
    quick = sorted(samples)[: max(FEWEST, len(samples) // _QUICKEST)]
    offset = median_low([it.later for it in quick])
    if least <= most:
        offset = min(max(offset, least), most)
    within = max(*_exchanges(quick), *(abs(it.later - offset) for it in quick))
    within = min(within, max(most - offset, offset - least) + slack)
    within = max(within, _contradicted(samples, offset))
    if not _numbered_alike(reference, one) and 2 * abs(offset) > _period(reference):
        return _unknown(_WHICH_STEP.format(named))
    return ClockOffset(Quantity.estimated(as_micros(offset)), within, len(samples))


def _samples(
    known: Mapping[int, _Met], mine: Mapping[int, _Met], quickest: _Exchanges
) -> Iterator[_Sample]:
    for number, met in mine.items():
        other = known.get(number)
        if other is None or other.digest != met.digest:
            continue
        took = quickest[number, met.digest]
        for place, (exchange, begin, end, theirs, ended) in enumerate(
            zip(took, met.begin, met.end, other.begin, other.end, strict=True)
        ):
            which = met.digest, place
            yield _Sample(exchange, end - ended, begin - ended, end - theirs, which)


def _contradicted(samples: Sequence[_Sample], offset: int) -> int:
    """How far other collectives are from it, step after step, by more than they took.

    Some may be among the devices of each host alone: which ones, nothing tells.
    """
    places: dict[tuple[str, int], list[_Sample]] = {}
    for one in samples:
        places.setdefault(one.which, []).append(one)
    off = [
        (abs(median_low([it.later for it in mine]) - offset), median_low(_exchanges(mine)))
        for mine in places.values()
    ]
    return max((far for far, took in off if far > took), default=0)


def _exchanges(samples: Sequence[_Sample]) -> list[int]:
    return [it.exchange for it in samples]


def _numbered_alike(*hosts: HostSteps) -> bool:
    return all(
        one.steps.rule in _NUMBERED and _NOT_NUMBERED not in one.steps.about for one in hosts
    )


def _period(one: HostSteps) -> int:
    return int(median_low(one.steps.known_periods))


def _unknown(reason: str) -> ClockOffset:
    return ClockOffset(Quantity.unknown(reason), reason=reason)
