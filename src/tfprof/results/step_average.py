"""What a run cost on average: what one host adds to it, and all hosts together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from operator import add
from typing import NamedTuple

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import DeviceNames
from tfprof.model.hosts import steps_together
from tfprof.model.units import as_micros
from tfprof.results.partial import Met, both


@frozen_dataclass
class NodeCost:
    """What one node cost in an average step; None is what the run does not tell.

    Of `micros`, `copies` are copies of a device, which go on beside its kernels.
    """

    name: str
    op: str | None
    runs: int
    micros: float
    requested: float | None
    copies: float = 0.0


@frozen_dataclass
class StepAverage:
    """An average step: its wall-clock span, and the own time of its ops, which may overlap.

    Where no steps are known, `steps` is 0, and all of it is of the whole run. Of a capture, the
    span is a period, from where a step begins to where the next one does, and ops that began in
    no step are left out; else it is from the first op to the last.

    Where a device was recorded, ops, nodes, devices and phases are of what ran there, which is
    `device_us`; `host_us` is what threads of hosts took for ops, `eager_us` what of that was
    called one by one.
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
    device_us: float | None
    host_us: float
    eager_us: float
    copy_us: float
    phases: dict[str, float]
    # of `phases`, what copies took, which go on beside kernels
    phase_copies: dict[str, float] = field(default_factory=dict)


class NodeSums(NamedTuple):
    """Of a node in all steps; `last` is its type, and the rank of the last host that ran it."""

    last: tuple[int, str]
    runs: int
    self_ps: int
    requested: int
    copy_ps: int = 0

    def plus(self, other: NodeSums) -> NodeSums:
        return NodeSums(
            max(self.last, other.last),
            self.runs + other.runs,
            self.self_ps + other.self_ps,
            self.requested + other.requested,
            self.copy_ps + other.copy_ps,
        )


@frozen_dataclass
class RunSide:
    """What threads of hosts did, or devices; devices have their full names, and picoseconds."""

    nodes: Mapping[str, NodeSums] = field(default_factory=dict)
    devices: Mapping[str, Met] = field(default_factory=dict)
    phases: Mapping[str, int] = field(default_factory=dict)
    executions: int = 0
    phase_copies: Mapping[str, int] = field(default_factory=dict)

    def merge(self, other: RunSide) -> RunSide:
        return RunSide(
            both(self.nodes, other.nodes, NodeSums.plus),
            both(self.devices, other.devices, Met.plus),
            both(self.phases, other.phases, add),
            self.executions + other.executions,
            both(self.phase_copies, other.phase_copies, add),
        )

    @property
    def self_ps(self) -> int:
        return sum(one.self_ps for one in self.nodes.values())


@frozen_dataclass
class StepAveragePartial:
    """What a host adds.

    `periods` are those of the steps that all hosts are counted by. `spans` are when the first op of
    a step began and the last ended, in microseconds. `requested`: the run tells what ops asked for.
    """

    host: RunSide = field(default_factory=RunSide)
    device: RunSide = field(default_factory=RunSide)
    pipeline_ps: int = 0
    steps: tuple[int, ...] = ()
    periods: tuple[int, ...] = ()
    spans: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    requested: int | None = None
    eager_ps: int = 0

    def counted_by(self, numbers: tuple[int, ...], periods: tuple[int, ...]) -> StepAveragePartial:
        """By the steps that all hosts took together."""
        return replace(self, steps=numbers, periods=periods)

    def merge(self, other: StepAveragePartial) -> StepAveragePartial:
        asked = (self.requested, other.requested)
        return StepAveragePartial(
            self.host.merge(other.host),
            self.device.merge(other.device),
            self.pipeline_ps + other.pipeline_ps,
            steps_together(self.steps, other.steps),
            max(self.periods, other.periods),
            both(self.spans, other.spans, _around),
            None if None in asked else sum(one or 0 for one in asked),
            self.eager_ps + other.eager_ps,
        )

    def finish(self) -> StepAverage:
        """The average step, with every node's share, costliest first."""
        steps = max(1, len(self.steps))
        spans = [last - first for first, last in self.spans.values()]
        mean = sum(spans) / len(spans) if spans else 0.0
        if self.periods:
            mean = as_micros(sum(self.periods) / len(self.periods))
        own = self.device if self.device.executions else self.host
        nodes = (self._node(name, sums, steps) for name, sums in own.nodes.items())
        op_us = as_micros(own.self_ps) / steps
        return StepAverage(
            len(self.steps),
            own.executions,
            mean,
            bool(self.periods),
            op_us,
            as_micros(self.pipeline_ps) / steps,
            None if self.requested is None else self.requested / steps,
            sorted(nodes, key=lambda one: (-one.micros, -(one.requested or 0), one.name)),
            self._by_device(own, steps),
            op_us if own is self.device else None,
            as_micros(self.host.self_ps) / steps,
            as_micros(self.eager_ps) / steps,
            as_micros(sum(one.copy_ps for one in own.nodes.values())) / steps,
            {name: as_micros(took) / steps for name, took in own.phases.items()},
            {name: as_micros(took) / steps for name, took in own.phase_copies.items()},
        )

    def _node(self, name: str, sums: NodeSums, steps: int) -> NodeCost:
        asked = None if self.requested is None else sums.requested / steps
        own, copies = as_micros(sums.self_ps) / steps, as_micros(sums.copy_ps) / steps
        return NodeCost(name, sums.last[1] or None, sums.runs, own, asked, copies)

    def _by_device(self, own: RunSide, steps: int) -> dict[str, float]:
        """Those of the other side decide, too, how much of a name is needed."""
        names = DeviceNames([*self.host.devices, *self.device.devices])
        met = sorted(own.devices.items(), key=lambda item: (item[1].place, item[0]))
        shares: dict[str, float] = {}
        for name, one in met:
            if one.amount:
                shares[names(name)] = shares.get(names(name), 0.0) + as_micros(one.amount) / steps
        return dict(sorted(shares.items(), key=lambda item: -item[1]))


def _around(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return min(one[0], other[0]), max(one[1], other[1])
