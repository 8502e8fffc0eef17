"""The steps of each of many hosts, and by whose steps those without any are counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, Self, TypeVar

from tfprof.analyses.steps.detect import ranked_steps
from tfprof.analyses.steps.step_clock import StepClock
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host, Hosts
from tfprof.results.step_windows import StepWindow


@frozen_dataclass
class OwnSteps:
    """`place` is that of the rule that found them, the lower the better.

    `all_marked`: each host that the capture tells of has steps of its own.
    """

    place: int
    windows: tuple[StepWindow, ...]
    all_marked: bool

    @property
    def numbers(self) -> frozenset[int]:
        return frozenset(window.number for window in self.windows)


def own_steps(host: Host) -> OwnSteps | None:
    """None of what is no capture: its records name their steps."""
    space = host.trace.space
    if space is None:
        return None
    found = [ranked_steps(space, name) for name in space.hosts]
    place, best = min(found, key=lambda one: one[0], default=(0, None))
    windows = () if best is None else tuple(best.windows)
    return OwnSteps(place, windows, bool(found) and all(one.windows for _, one in found))


OWN_STEPS = HostTask("own steps", own_steps)


def steps_of_hosts(hosts: Hosts) -> list[OwnSteps | None]:
    return hosts.each(OWN_STEPS.key, own_steps)


def clock_of(hosts: Hosts) -> StepClock:
    """The steps of the first host for which the best rule holds."""
    marked = [one for one in steps_of_hosts(hosts) if one is not None and one.windows]
    best = min(marked, key=lambda one: one.place, default=None)
    return StepClock() if best is None else StepClock(best.windows)


class CountedBySteps(Protocol):
    """What a host adds to an answer about steps."""

    def counted_by(self, numbers: tuple[int, ...], periods: tuple[int, ...]) -> Self:
        """By the steps that all hosts took together, whatever its own are."""
        ...


C = TypeVar("C", bound=CountedBySteps)


def by_steps(hosts: Hosts, key: str, ask: Callable[..., C], *args: object) -> list[C]:
    """What each says to `ask(host, clock, *args)`, counted by the steps of all.

    A host is asked by its own steps while it is read. Only one without any has to be asked again,
    when it is known which host marks them best.
    """
    first = hosts.each(key, by_own_steps, ask, args)
    clock = clock_of(hosts)
    marked = {host.rank: one for host, one in zip(hosts, first, strict=True) if one is not None}
    unmarked = hosts.without(marked)
    again = unmarked.each(f"{key} by the steps of all", by_clock, ask, clock, args)
    by_all = dict(zip((host.rank for host in unmarked), again, strict=True))
    counted = (one.counted_by(clock.numbers, clock.known_periods) for one in marked.values())
    found = {**dict(zip(marked, counted, strict=True)), **by_all}
    return [found[host.rank] for host in hosts]


def task_by_steps(key: str, ask: Callable[..., object], *args: object) -> HostTask:
    """The same, to be asked of each host while it is read."""
    return HostTask(key, by_own_steps, (ask, args))


def by_own_steps(host: Host, ask: Callable[..., C], args: Sequence[object]) -> C | None:
    own = own_steps(host)
    if own is None or not own.all_marked:
        return None
    return ask(host, StepClock(own.windows), *args)


def by_clock(host: Host, ask: Callable[..., C], clock: StepClock, args: Sequence[object]) -> C:
    return ask(host, clock, *args)
