"""The steps of each of many hosts, and by whose steps those without any are counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from operator import add
from typing import Generic, Protocol, Self, TypeVar

from tfprof.analyses.steps.detect import ranked_steps
from tfprof.analyses.steps.step_clock import StepClock
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host, Hosts
from tfprof.model.merging import merged
from tfprof.results.partial import both
from tfprof.results.step_windows import StepWindow


@frozen_dataclass
class MarkedSteps:
    """The steps of one host. `place` is that of the rule that found them, the lower the better."""

    place: int
    rank: int
    windows: tuple[StepWindow, ...]
    host: str


@frozen_dataclass
class StepsOfHosts:
    """The steps that hosts mark: `best` are those that all are counted by, None without any.

    `seen` is how many hosts have a step of each number.
    """

    best: MarkedSteps | None = None
    seen: Mapping[int, int] = field(default_factory=dict)

    def merge(self, other: StepsOfHosts) -> StepsOfHosts:
        """Of those that are marked equally well, the first."""
        known = [one.best for one in (self, other) if one.best is not None]
        best = min(known, key=lambda one: (one.place, one.rank), default=None)
        return StepsOfHosts(best, both(self.seen, other.seen, add))


@frozen_dataclass
class _OwnSteps:
    """`all_marked`: each host that the capture tells of has steps of its own."""

    place: int
    windows: tuple[StepWindow, ...]
    all_marked: bool
    host: str


def _own_steps(host: Host) -> _OwnSteps | None:
    """None of what is no capture: its records name their steps."""
    space = host.trace.space
    if space is None:
        return None
    found = [(*ranked_steps(space, name), name) for name in space.hosts]
    place, best, name = min(found, key=lambda one: one[0], default=(0, None, ""))
    windows = () if best is None else tuple(best.windows)
    return _OwnSteps(place, windows, bool(found) and all(one.windows for _, one, _ in found), name)


def _marked(host: Host) -> StepsOfHosts:
    own = _own_steps(host)
    if own is None or not own.windows:
        return StepsOfHosts()
    numbers = dict.fromkeys((window.number for window in own.windows), 1)
    return StepsOfHosts(MarkedSteps(own.place, host.rank, own.windows, own.host), numbers)


OWN_STEPS = HostTask("own steps", _marked, together=True)


def steps_of_hosts(hosts: Hosts) -> StepsOfHosts:
    return hosts.merged(OWN_STEPS.key, _marked) if hosts else StepsOfHosts()


def clock_of(hosts: Hosts) -> StepClock:
    """The steps of the first host for which the best rule holds."""
    best = steps_of_hosts(hosts).best
    return StepClock() if best is None else StepClock(best.windows)


class CountedBySteps(Protocol):
    """What a host adds to an answer about steps."""

    def counted_by(self, numbers: tuple[int, ...], periods: tuple[int, ...]) -> Self:
        """By the steps that all hosts took together, whatever its own are."""
        ...

    def merge(self, other: Self) -> Self: ...


C = TypeVar("C", bound=CountedBySteps)


@frozen_dataclass
class ByOwnSteps(Generic[C]):
    """What hosts with steps of their own say together, and the ranks of those without."""

    told: C | None
    unmarked: frozenset[int] = frozenset()

    def merge(self, other: ByOwnSteps[C]) -> ByOwnSteps[C]:
        told = [one.told for one in (self, other) if one.told is not None]
        return ByOwnSteps(merged(told) if told else None, self.unmarked | other.unmarked)


def by_steps(
    hosts: Hosts, key: str, ask: Callable[..., C], *args: object, about: tuple[object, ...] = ()
) -> C:
    """What they say together to `ask(host, clock, *args)`, counted by the steps of all.

    A host is asked by its own steps while it is read. Only one without any has to be asked again,
    when it is known which host marks them best.
    """
    first: ByOwnSteps[C] = hosts.merged(key, by_own_steps, ask, args, about=about)
    clock, found = clock_of(hosts), list[C]()
    if first.told is not None:
        found.append(first.told.counted_by(clock.numbers, clock.known_periods))
    unmarked = hosts.without({host.rank for host in hosts} - first.unmarked)
    if unmarked:
        again = f"{key} by the steps of all"
        found.append(unmarked.merged(again, by_clock, ask, clock, args, about=about))
    return merged(found)


def task_by_steps(
    key: str, ask: Callable[..., object], *args: object, about: tuple[object, ...] = ()
) -> HostTask:
    """The same, to be asked of each host while it is read."""
    return HostTask(key, by_own_steps, (ask, args), together=True, about=about)


def by_own_steps(host: Host, ask: Callable[..., C], args: Sequence[object]) -> ByOwnSteps[C]:
    own = _own_steps(host)
    if own is None or not own.all_marked:
        return ByOwnSteps(None, frozenset([host.rank]))
    return ByOwnSteps(ask(host, StepClock(own.windows), *args))


def by_clock(host: Host, ask: Callable[..., C], clock: StepClock, args: Sequence[object]) -> C:
    return ask(host, clock, *args)
