"""The machines of a run: each with a trace of its own, and all of them as one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from tfprof.model.providers import TraceSource
from tfprof.model.trace import Trace


@dataclass(frozen=True, slots=True)
class Host:
    """`name` is empty where no file says it; `rank` counts the hosts of a run from 0, by name."""

    name: str
    rank: int
    steps: tuple[int, ...]
    source: TraceSource = field(repr=False)

    @property
    def trace(self) -> Trace:
        return self.source()


@dataclass(frozen=True, slots=True)
class TraceAtHand:
    """A trace that is in no file of its own: it pickles with all that it holds."""

    trace: Trace

    def __call__(self) -> Trace:
        return self.trace


class Hosts(tuple[Host, ...]):  # noqa: SLOT001  (the joined trace is kept)
    """The hosts in the order in which they were read."""

    @classmethod
    def of(cls, trace: Trace | None) -> Hosts:
        """One host that did all of it; none without a trace."""
        return cls() if trace is None else cls([Host("", 0, trace.steps, TraceAtHand(trace))])

    @cached_property
    def trace(self) -> Trace | None:
        """What all of them did, joined when somebody asks; None without hosts."""
        return Trace.joined([host.trace for host in self]) if self else None

    def __reduce__(self) -> tuple[type[Hosts], tuple[tuple[Host, ...]]]:
        return Hosts, (tuple(self),)
