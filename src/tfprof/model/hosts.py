"""The machines of a run: each with a trace of its own, and all of them as one."""

from __future__ import annotations

from collections import Counter
from dataclasses import field, replace
from functools import cached_property

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.providers import TraceSource
from tfprof.model.trace import Trace
from tfprof.model.xspace import Space, on_one_clock


@frozen_dataclass
class Host:
    """`name` is empty where no file says it; `rank` counts the hosts of a run from 0, by name."""

    name: str
    rank: int
    steps: tuple[int, ...]
    source: TraceSource = field(repr=False)

    @property
    def trace(self) -> Trace:
        return self.source()


@frozen_dataclass
class TraceAtHand:
    """A trace that is in no file of its own: it pickles with all that it holds."""

    trace: Trace

    def __call__(self) -> Trace:
        return self.trace


class Hosts(tuple[Host, ...]):  # noqa: SLOT001  (what is made of them is kept)
    """The hosts by rank."""

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
        if len({space.origin_ns for space in self.spaces}) < 2:
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
        return any(len(host.trace.executions) for host in self)

    @property
    def recorded(self) -> Trace | None:
        """The run with a record of each execution: metadata of runs, which are of one host."""
        return None if self.spaces else self.trace

    def __reduce__(self) -> tuple[type[Hosts], tuple[tuple[Host, ...]]]:
        return Hosts, (tuple(self),)


def steps_together(*steps: tuple[int, ...]) -> tuple[int, ...]:
    """Hosts take their steps together: each counts as often as the host has it that does most."""
    found: Counter[int] = Counter()
    for some in steps:
        found |= Counter(some)
    return tuple(sorted(found.elements()))
