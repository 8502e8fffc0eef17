"""Which functions Python called in a capture, and how often they were traced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import NamedTuple

from tfprof.analyses.steps.host_marks import HostMarks, host_marks
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.host_work import HostTask
from tfprof.model.hosts import Host, Hosts
from tfprof.model.units import as_micros
from tfprof.model.xspace import Space
from tfprof.results.capture_traits import CalledFunction
from tfprof.results.partial import both, summed

_CALL = "tf_function_call"


class CallSums(NamedTuple):
    """As a CalledFunction has them, times in picoseconds."""

    calls: int
    traced: int
    eager: int
    time_ps: int
    traced_ps: int
    tracings: int

    def plus(self, other: CallSums) -> CallSums:
        return CallSums(
            self.calls + other.calls,
            self.traced + other.traced,
            self.eager + other.eager,
            self.time_ps + other.time_ps,
            self.traced_ps + other.traced_ps,
            max(self.tracings, other.tracings),
        )


@frozen_dataclass
class CallsPartial:
    functions: Mapping[str, CallSums] = field(default_factory=dict)

    def merge(self, other: CallsPartial) -> CallsPartial:
        return CallsPartial(both(self.functions, other.functions, CallSums.plus))

    def finish(self) -> tuple[CalledFunction, ...]:
        """What took longest first."""
        found = (_called(name, sums) for name, sums in self.functions.items())
        return tuple(sorted(found, key=lambda one: (-one.time_us, one.name)))


def _called(name: str, sums: CallSums) -> CalledFunction:
    return CalledFunction(
        name,
        sums.calls,
        sums.traced,
        sums.eager,
        as_micros(sums.time_ps),
        as_micros(sums.traced_ps),
        sums.tracings,
    )


def called_functions(hosts: Hosts) -> tuple[CalledFunction, ...]:
    """Of all hosts together, of which there is one at least."""
    return hosts.merged(CALLS.key, _of_host).finish()


def _of_host(host: Host) -> CallsPartial:
    space = host.trace.space
    calls = () if space is None else _calls(space)
    return CallsPartial(summed(calls, CallSums.plus))


CALLS = HostTask("functions that Python called", _of_host, together=True)


def _calls(space: Space) -> Iterator[tuple[str, CallSums]]:
    for host in space.hosts:
        for marks in host_marks(space, host):
            yield from _functions(marks)


def _functions(marks: HostMarks) -> Iterator[tuple[str, CallSums]]:
    rows = marks.calls
    if not len(rows):
        return
    plane = marks.plane
    column = plane.stat_of_rows(_CALL, rows)
    texts = column.texts()
    kinds = dict(
        zip(column.rows.tolist(), (texts[at] for at in range(len(column.rows))), strict=True)
    )
    counted = dict(zip(*(one.tolist() for one in marks.tracings), strict=True))
    for row in rows.tolist():
        kind = kinds.get(row, "")
        time = int(plane.events.duration_ps[row])
        traced = kind.startswith("traced")
        name = plane.event_names.name[int(plane.events.name[row])]
        eager, took = int(kind.startswith("eager")), time if traced else 0
        yield name, CallSums(1, int(traced), eager, time, took, int(counted.get(row, 0)))
