"""What a run cost on average: what one host adds to it, and all hosts together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tfprof.model.device import ALL_STREAMS, short_names
from tfprof.model.hosts import steps_together
from tfprof.model.units import as_micros
from tfprof.results.partial import Met, both


@dataclass(frozen=True, slots=True)
class NodeCost:
    """What one node cost in an average step; None is what the run does not tell."""

    name: str
    op: str | None
    runs: int
    micros: float
    requested: float | None


@dataclass(frozen=True, slots=True)
class StepAverage:
    """An average step: its wall-clock span, and the own time of its ops, which may overlap.

    Where no steps are known, `steps` is 0, and all of it is of the whole run. Of a capture, the
    span is a period, from where a step begins to where the next one does, and ops that began in
    no step are left out; else it is from the first op to the last.
    """

    steps: int
    executions: int
    span_us: float
    is_period: bool
    op_us: float
    # of `op_us`, what ops of the input pipeline took
    pipeline_us: float
    requested: float | None
    nodes: list[NodeCost]
    devices: dict[str, float]


class NodeSums(NamedTuple):
    """Of a node in all steps; `last` is its type, and the rank of the last host that ran it."""

    last: tuple[int, str]
    runs: int
    self_ps: int
    requested: int

    def plus(self, other: NodeSums) -> NodeSums:
        return NodeSums(
            max(self.last, other.last),
            self.runs + other.runs,
            self.self_ps + other.self_ps,
            self.requested + other.requested,
        )


@dataclass(frozen=True, slots=True)
class StepAveragePartial:
    """What a host adds; devices have their full names, and picoseconds.

    `periods` are those of the steps that all hosts are counted by. `spans` are when the first op of
    a step began and the last ended, in microseconds. `requested`: the run tells what ops asked for.
    """

    nodes: Mapping[str, NodeSums] = field(default_factory=dict)
    devices: Mapping[str, Met] = field(default_factory=dict)
    executions: int = 0
    pipeline_ps: int = 0
    steps: tuple[int, ...] = ()
    periods: tuple[int, ...] = ()
    spans: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    requested: int | None = None

    def merge(self, other: StepAveragePartial) -> StepAveragePartial:
        asked = (self.requested, other.requested)
        return StepAveragePartial(
            both(self.nodes, other.nodes, NodeSums.plus),
            both(self.devices, other.devices, Met.plus),
            self.executions + other.executions,
            self.pipeline_ps + other.pipeline_ps,
            steps_together(self.steps, other.steps),
            max(self.periods, other.periods),
            both(self.spans, other.spans, _around),
            None if None in asked else sum(one or 0 for one in asked),
        )

    def finish(self) -> StepAverage:
        """The average step, with every node's share, costliest first."""
        steps = max(1, len(self.steps))
        spans = [last - first for first, last in self.spans.values()]
        mean = sum(spans) / len(spans) if spans else 0.0
        if self.periods:
            mean = as_micros(sum(self.periods) / len(self.periods))
        nodes = (self._node(name, sums, steps) for name, sums in self.nodes.items())
        return StepAverage(
            len(self.steps),
            self.executions,
            mean,
            bool(self.periods),
            as_micros(sum(one.self_ps for one in self.nodes.values())) / steps,
            as_micros(self.pipeline_ps) / steps,
            None if self.requested is None else self.requested / steps,
            sorted(nodes, key=lambda one: (-one.micros, -(one.requested or 0), one.name)),
            self._by_device(steps),
        )

    def _node(self, name: str, sums: NodeSums, steps: int) -> NodeCost:
        asked = None if self.requested is None else sums.requested / steps
        return NodeCost(
            name, sums.last[1] or None, sums.runs, as_micros(sums.self_ps) / steps, asked
        )

    def _by_device(self, steps: int) -> dict[str, float]:
        short = short_names(self.devices)
        met = sorted(self.devices.items(), key=lambda item: (item[1].place, item[0]))
        shares = {
            short[name].removesuffix(ALL_STREAMS): as_micros(one.amount) / steps
            for name, one in met
            if one.amount
        }
        return dict(sorted(shares.items(), key=lambda item: -item[1]))


def _around(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return min(one[0], other[0]), max(one[1], other[1])
