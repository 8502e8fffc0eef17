"""What ran where on one host, as sums that those of other hosts can be added to.

Devices have the names that were recorded: which of them mean the same, and how much of a name is
needed, is known only when all hosts are together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tfprof.analyses.graph.partition_graphs import PartitionGraph
from tfprof.analyses.placement.capture_copies import captured, sent_rows
from tfprof.analyses.placement.copy_sums import CopyRoute, CopySum
from tfprof.analyses.placement.ran import Ran, where_ran
from tfprof.analyses.placement.timeline_labels import recorded
from tfprof.analyses.placement.transfers import of_parts, of_records
from tfprof.analyses.runtime.op_events import op_events
from tfprof.analyses.steps.step_clock import TraceSteps, step_clock
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.device import DeviceNames, DeviceSpec, is_part
from tfprof.model.device_labels import LABELS, NO_OP
from tfprof.model.hosts import Host, Hosts, steps_together
from tfprof.model.trace import Executions, Trace
from tfprof.model.units import PS_A_MICROSECOND
from tfprof.results.partial import FirstPlace, Met, both, summed

Ints = npt.NDArray[np.int64]

# what the runtime does between nodes
# copies and the like; kernels of an unknown op are time of their device
_NO_KERNELS = LABELS - {NO_OP}
_PLACED, _RAN = "what ran where, and its copies", "what ran where"
_NO_NODE = late_pattern(r"(_SOURCE|_SINK|RecvTensor)(:.*)?|[^:]*MEMCPY.*|.*:MEMCPY.*")


class Spent(NamedTuple):
    """A node on a device, in all steps together; no runs if it is only mentioned there."""

    runs: int
    micros: int
    requested: int

    def plus(self, other: Spent) -> Spent:
        return Spent(*map(sum, zip(self, other, strict=True)))


@frozen_dataclass
class PlacementPartial:
    """Devices with their executions; `spent` is by device and node, microseconds as recorded.

    `copies` are those of all steps; `sent` those that the executed graphs make in each. `kinds` are
    the types of the devices that a capture has.
    """

    devices: Mapping[str, Met] = field(default_factory=dict)
    nodes: Mapping[str, FirstPlace] = field(default_factory=dict)
    spent: Mapping[tuple[str, str], Spent] = field(default_factory=dict)
    copies: Mapping[CopyRoute, CopySum] = field(default_factory=dict)
    sent: Mapping[CopyRoute, CopySum] = field(default_factory=dict)
    steps: tuple[int, ...] = ()
    captured: bool = False
    kinds: frozenset[str | None] = frozenset()

    def merge(self, other: PlacementPartial) -> PlacementPartial:
        """The sums of both: in any order and any tree the same."""
        return PlacementPartial(
            both(self.devices, other.devices, Met.plus),
            both(self.nodes, other.nodes, min),
            both(self.spent, other.spent, Spent.plus),
            both(self.copies, other.copies, CopySum.plus),
            both(self.sent, other.sent, CopySum.plus),
            steps_together(self.steps, other.steps),
            self.captured or other.captured,
            self.kinds | other.kinds,
        )

    def finish(self, names: DeviceNames) -> Ran:
        """In the average step, under short names; devices that are one are one."""
        return where_ran(self, names)

    @property
    def device_names(self) -> list[str]:
        """All that were recorded."""
        ends = chain.from_iterable(way[:2] for way in self.copies)
        return [*self.devices, *(end for end in ends if end)]


def host_placement(
    trace: Trace, graphs: Iterable[PartitionGraph] = (), host: int = 0
) -> PlacementPartial:
    """Of one host, with the graphs that it executed. `host` orders hosts."""
    records, rows = recorded(trace)
    return replace(
        host_runs(trace, rows | sent_rows(trace), host),
        copies=summed(chain(of_records(records), captured(trace)), CopySum.plus),
        sent=summed(of_parts(graphs, trace), CopySum.plus),
    )


def placement_of(hosts: Hosts, graphs: Mapping[int, Iterable[PartitionGraph]]) -> PlacementPartial:
    """Of all of them; `graphs` are those that each executed, by rank: captures have none."""
    return hosts.merged(_PLACED, _of_host, graphs) if hosts else PlacementPartial()


def _of_host(host: Host, graphs: Mapping[int, Iterable[PartitionGraph]]) -> PlacementPartial:
    return host_placement(host.trace, graphs.get(host.rank, ()), host.rank)


def runs_of(hosts: Hosts) -> PlacementPartial:
    """Only what ran on them."""
    return hosts.merged(_RAN, _ran_on_host)


def _ran_on_host(host: Host) -> PlacementPartial:
    trace = host.trace
    return host_runs(trace, sent_rows(trace), host.rank)


def host_runs(trace: Trace, transfers: frozenset[int], host: int = 0) -> PlacementPartial:
    """Only what ran. `transfers` are the rows of copies, which are no nodes."""
    rows = trace.executions
    table = list(dict.fromkeys(rows.device.table))
    device = _codes(rows.device.table, table)[rows.device.codes]
    node, names = _nodes(rows, transfers)
    counts = np.bincount(device, minlength=len(table)).tolist()
    return PlacementPartial(
        {name: Met(FirstPlace(host, at), counts[at]) for at, name in enumerate(table)},
        {name: FirstPlace(host, at) for at, name in enumerate(names)},
        _spent(rows, device, table, node, names, _micros(trace)),
        steps=_steps(trace),
        captured=trace.space is not None,
        kinds=_kinds(trace),
    )


def _kinds(trace: Trace) -> frozenset[str | None]:
    devices = () if trace.space is None else trace.space.devices
    return frozenset(DeviceSpec.of(one.name).type for one in devices)


def _steps(trace: Trace) -> tuple[int, ...]:
    """Where a tool has grouped events, also those of no step have a group: steps are found anew."""
    if trace.space is None or not trace.steps:
        return trace.steps
    return TraceSteps(trace, step_clock([trace])).numbers or trace.steps


def _micros(trace: Trace) -> Ints:
    """Of each execution; on a device without the instructions inside a loop.

    Each is rounded by itself: what all hosts took is then the sum over them.
    """
    rows = trace.executions
    recorded = np.maximum(rows.op_end_rel, 1)
    on_device = rows.device.map(is_part)
    if trace.space is None or not on_device.any():
        return recorded
    own = op_events(trace).self_ps[: len(rows)]
    return np.where(on_device, (own + PS_A_MICROSECOND // 2) // PS_A_MICROSECOND, recorded)


def _codes(column: Iterable[str], table: list[str]) -> Ints:
    index = {name: at for at, name in enumerate(table)}
    return np.array([index.get(name, -1) for name in column] or [-1], np.int64)


def _nodes(rows: Executions, transfers: frozenset[int]) -> tuple[Ints, list[str]]:
    """The node of each row, -1 for what is none; a device may add behind a colon what it did."""
    cut = [
        "" if name in _NO_KERNELS or _NO_NODE.fullmatch(name) else name.partition(":")[0]
        for name in rows.node.table
    ]
    names = list(dict.fromkeys(name for name in cut if name))
    node = _codes(cut, names)[rows.node.codes]
    node[list(transfers)] = -1
    return node, names


def _spent(
    rows: Executions,
    device: Ints,
    table: list[str],
    node: Ints,
    names: list[str],
    took: Ints,
) -> dict[tuple[str, str], Spent]:
    """What never started has no runs."""
    kept = node >= 0
    pairs, pair = np.unique(node[kept] * len(table) + device[kept], return_inverse=True)
    started = (rows.start > 0)[kept]

    def total(values: Ints) -> list[int]:
        found = np.zeros(len(pairs), np.int64)
        np.add.at(found, pair, values[kept] * started)
        return found.tolist()

    micros = total(took)
    sums = zip(total(np.ones(len(rows), np.int64)), micros, total(rows.requested), strict=True)
    return {
        (table[both % len(table)], names[both // len(table)]): Spent(*some)
        for both, some in zip(pairs.tolist(), sums, strict=True)
    }
