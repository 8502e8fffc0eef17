"""The machines of a run: each with a trace of its own, and all of them as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TypeVar, cast

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.host_work import Asking, HostTask
from tfprof.model.merging import Partial, merged
from tfprof.model.providers import TraceSource
from tfprof.model.trace import Trace
from tfprof.model.xspace import Space, on_one_clock

R = TypeVar("R")
P = TypeVar("P", bound=Partial)


@frozen_dataclass
class HostFacts:
    """What is known of a capture without holding it; `levels` are those of its host tracer.

    `ends_early`: the file was cut off, and is read up to there.
    """

    ops: int
    events: int
    levels: tuple[int, ...]
    ends_early: bool = False

    @classmethod
    def of(cls, trace: Trace, *, ends_early: bool = False) -> HostFacts:
        space = trace.space
        known = () if space is None else space.environments.values()
        levels = tuple(one.options.host_tracer_level for one in known if one.options)
        events = 0 if space is None else space.event_count
        return cls(len(trace.executions), events, levels, ends_early)


@frozen_dataclass
class LeftOut:
    """A host that the answer is not of."""

    host: str
    why: str

    def __str__(self) -> str:
        return f"{self.host} is left out: {self.why}"


@frozen_dataclass
class Host:
    """`name` is empty where no file says it; `rank` counts the files of a run from 0, by name.

    A capture among several has `facts`: it is read when somebody asks, and need not stay.
    """

    name: str
    rank: int
    steps: tuple[int, ...]
    source: TraceSource = field(repr=False)
    facts: HostFacts | None = None

    @property
    def trace(self) -> Trace:
        return self.source()

    @property
    def known(self) -> HostFacts:
        return HostFacts.of(self.trace) if self.facts is None else self.facts

    @property
    def is_capture(self) -> bool:
        return self.facts is not None or self.trace.space is not None


@frozen_dataclass
class TraceAtHand:
    """A trace that is in no file of its own: it pickles with all that it holds."""

    trace: Trace

    def __call__(self) -> Trace:
        return self.trace


class Hosts(tuple[Host, ...]):  # noqa: SLOT001  (what is made of them is kept)
    """The hosts by rank. `asking` are those whose files are read one by one, by whoever works."""

    asking: Asking | None = None

    @classmethod
    def asked_by(cls, asking: Asking, hosts: Iterable[Host]) -> Hosts:
        made = cls(hosts)
        made.asking = asking
        return made

    def prepare(self, tasks: Sequence[HostTask]) -> None:
        """Whoever is about to ask several questions says so before: hosts are read once."""
        if self.asking is not None:
            self.asking.prepare(tasks, self)

    def each(
        self, key: str, ask: Callable[..., R], *args: object, about: tuple[object, ...] = ()
    ) -> list[R]:
        """What each says to a question of its own, by rank: `ask(host, *args)`.

        Where many are read, `ask` runs where the host is: it is a function of a module, and what it
        returns is small. The `key` tells this question from all others about these hosts, with the
        objects among `args` that it is `about`.
        """
        if self.asking is None:
            return [ask(host, *args) for host in self]
        return cast("list[R]", self.asking.each(HostTask(key, ask, args, about=about), self))

    def merged(
        self, key: str, ask: Callable[..., P], *args: object, about: tuple[object, ...] = ()
    ) -> P:
        """What they say together, of partial results; there is at least one host.

        Where many are read, it is put together there, and nobody holds the answers of all.
        """
        if self.asking is None:
            return merged([ask(host, *args) for host in self])
        task = HostTask(key, ask, args, together=True, about=about)
        return cast("P", self.asking.merged(task, self))

    def without(self, ranks: Container[int]) -> Hosts:
        left = (host for host in self if host.rank not in ranks)
        return Hosts(left) if self.asking is None else Hosts.asked_by(self.asking, left)

    @classmethod
    def of(cls, trace: Trace | None) -> Hosts:
        """One host that did all of it; none without a trace."""
        return cls() if trace is None else cls([Host("", 0, trace.steps, TraceAtHand(trace))])

    @cached_property
    def trace(self) -> Trace | None:
        """What all of them did, joined when somebody asks; None without hosts.

        For what shows them as one: a timeline, the views of the original, a graph as executed. All
        else is computed host by host and merged.
        """
        if len(self) < 2:
            return self[0].trace if self else None
        steps = steps_together(*(host.steps for host in self))
        return replace(Trace.joined([host.trace for host in self]), steps=steps)

    @cached_property
    def on_one_clock(self) -> Hosts:
        """The same, with captures that count from the same instant."""
        if self.asking is not None or len({space.origin_ns for space in self.spaces}) < 2:
            return self
        counted = iter(on_one_clock(self.spaces))
        return Hosts(
            host
            if host.trace.space is None
            else replace(host, source=TraceAtHand(replace(host.trace, space=next(counted))))
            for host in self
        )

    @property
    def spaces(self) -> list[Space]:
        """The captures of those that were recorded by the profiler of TensorFlow 2."""
        return [host.trace.space for host in self if host.trace.space is not None]

    @property
    def any_ops(self) -> bool:
        return any(host.known.ops for host in self)

    @property
    def captured(self) -> bool:
        """Whether any was recorded by the profiler of TensorFlow 2."""
        return any(host.is_capture for host in self)

    @property
    def recorded(self) -> Trace | None:
        """The run with a record of each execution: metadata of runs, which are of one host."""
        return None if self.captured else self.trace

    def __reduce__(self) -> tuple[Callable[..., Hosts], tuple[object, ...]]:
        if self.asking is not None:
            return Hosts.asked_by, (self.asking, tuple(self))
        return Hosts, (tuple(self),)


def steps_together(*steps: tuple[int, ...]) -> tuple[int, ...]:
    """Hosts take their steps together: each counts as often as the host has it that does most."""
    found: Counter[int] = Counter()
    for some in steps:
        found |= Counter(some)
    return tuple(sorted(found.elements()))
