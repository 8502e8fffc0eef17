"""The executions of one step as the original's timeline of the graph view has them.

A device is a process. Its executions lie in lanes, each in the first that is free. Flows lead from
what a node read on another device to the node, and accelerators have counters of their memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tfprof.analyses.accounting import nodes as n
from tfprof.model.device import holds_kernels, is_cpu_or_gpu
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.results.tree_exports import Flow, GraphTimeline, MemorySample, MemoryUse, Point, Slice

_GPU_ALLOCATOR = "GPU"
# the original draws the memory of a device at most this often
_SAMPLE_EVERY_MICROS = 100
_LARGEST = 10


def graph_timeline(
    data: ProfileData, nodes: n.Nodes, displayed: Iterable[str], step: int
) -> GraphTimeline:
    """What the displayed nodes did in a step; `displayed` is in the order of the graph view."""
    runs = _runs(data.trace, nodes, step) if data.trace is not None else {}
    shown = [row for name in displayed if (row := nodes.row_of.get(name, -1)) in runs]
    devices: dict[str, dict[int, _Placed]] = {}
    for row in shown:
        for device, times in sorted(runs[row].times.items()):
            at_start = devices.setdefault(device, {})
            process = list(devices).index(device)
            for start, duration in times:
                # two executions cannot start at one time on a device: the original keeps the first
                at_start.setdefault(start, _Placed(row, process, start, duration))
    for at_start in devices.values():
        _assign_lanes(at_start)
    _connect(runs, nodes, devices)
    drawn = [one for at_start in devices.values() for one in _by_lane(at_start)]
    return GraphTimeline(
        list(devices),
        [
            Slice(nodes.names[one.row], one.process, one.lane, one.start, one.duration)
            for one in drawn
        ],
        [flow for one in drawn for flow in _flows(nodes.names[one.row], one)],
        _memory(data.trace, shown, runs, nodes) if data.trace is not None else [],
    )


@dataclass(slots=True)
class _Run:
    """What one node did in the step: times by device, and the records of its own device.

    `of_any_step` are the records of all steps: what a node keeps for good it may get in any.
    """

    times: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    records: list[int] = field(default_factory=list)
    of_any_step: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Placed:
    """An execution in its lane, with the executions elsewhere that read it."""

    row: int
    process: int
    start: int
    duration: int
    lane: int = 0
    readers: list[_Placed] = field(default_factory=list)


def _runs(trace: Trace, nodes: n.Nodes, step: int) -> dict[int, _Run]:
    """By row of `nodes`, for nodes that have a device."""
    rows = trace.executions
    row_of = [nodes.row_of.get(name.partition(":")[0], -1) for name in rows.node.table]
    devices = [device.lower() for device in rows.device.table]
    found: dict[int, _Run] = {}
    ran: set[int] = set()
    for at in np.flatnonzero(rows.start > 0).tolist():
        row, device = row_of[rows.node.codes[at]], devices[rows.device.codes[at]]
        if row < 0 or not nodes.devices[row]:
            continue
        own = device == nodes.devices[row]
        if not own and is_cpu_or_gpu(device):
            continue
        run = found.setdefault(row, _Run())
        if own:
            run.of_any_step.append(at)
        if rows.step[at] != step:
            continue
        # a node that only ran on devices that are not drawn still has a device with memory
        ran.add(row)
        if own or holds_kernels(device):
            run.times[device].append((int(rows.start[at]), int(rows.op_end_rel[at]) or 1))
        if own:
            run.records.append(at)
    return {row: run for row, run in found.items() if row in ran}


def _assign_lanes(at_start: Mapping[int, _Placed]) -> None:
    """First fit: an execution takes the first lane whose last one has ended."""
    ends: list[int] = []
    for start in sorted(at_start):
        one = at_start[start]
        one.lane = next((lane for lane, end in enumerate(ends) if end <= start), len(ends))
        ends[one.lane : one.lane + 1] = [start + one.duration]


def _by_lane(at_start: Mapping[int, _Placed]) -> list[_Placed]:
    return sorted(at_start.values(), key=lambda one: (one.lane, one.start))


def _connect(
    runs: Mapping[int, _Run], nodes: n.Nodes, devices: Mapping[str, Mapping[int, _Placed]]
) -> None:
    """Notes with each execution who reads it on another device; readers in order of devices."""
    for device in sorted(devices):
        for _, reader in sorted(devices[device].items()):
            if nodes.devices[reader.row] != device:
                continue
            for source in _inputs(nodes, reader.row):
                elsewhere = nodes.devices[source]
                if source not in runs or elsewhere == device:
                    continue
                at_start = devices.get(elsewhere, {})
                for start, _ in runs[source].times[elsewhere]:
                    if start in at_start:
                        at_start[start].readers.append(reader)


def _inputs(nodes: n.Nodes, row: int) -> list[int]:
    """What a node reads, controls included, in input order."""
    graph, at = nodes.graph, int(nodes.graph_row[row])
    if graph is None or at < 0:
        return []
    first, end = graph.edges.offsets[at : at + 2].tolist()
    sources = graph.edges.node[first:end].tolist()
    return [nodes.row_of[graph.names[source]] for source in sources if source >= 0]


def _flows(name: str, one: _Placed) -> list[Flow]:
    end = Point(one.process, one.lane, one.start + one.duration)
    return [Flow(name, end, Point(to.process, to.lane, to.start)) for to in one.readers]


def _memory(
    trace: Trace, shown: Sequence[int], runs: Mapping[int, _Run], nodes: n.Nodes
) -> list[MemoryUse]:
    """For every accelerator, by name."""
    by_device: dict[str, list[int]] = {}
    for row in shown:
        if "cpu" not in nodes.devices[row]:
            by_device.setdefault(nodes.devices[row], []).append(row)
    found = []
    for device in sorted(by_device):
        use = _DeviceMemory()
        for row in by_device[device]:
            use.add_kept(trace, nodes.names[row], runs[row].of_any_step)
            for at in runs[row].records:
                use.add(trace, nodes.names[row], at)
        found.append(MemoryUse(device, max(use.in_use.values(), default=0), use.samples()))
    return found


@dataclass(slots=True)
class _DeviceMemory:
    """Bytes in use by time, and what each node allocated: time and bytes, freed ones negative."""

    in_use: dict[int, int] = field(default_factory=dict)
    allocations: list[tuple[int, str, int]] = field(default_factory=list)

    def add_kept(self, trace: Trace, name: str, of_any_step: Iterable[int]) -> None:
        """Persistent memory is held from the beginning: that of the step which kept most."""
        by_step: dict[int, int] = defaultdict(int)
        for at in of_any_step:
            record = trace.record(at) if trace.record is not None else None
            if record is not None:
                step = int(trace.executions.step[at])
                by_step[step] += record.memory_stats.persistent_memory_size
        self.allocations.append((0, name, max(by_step.values(), default=0)))

    def add(self, trace: Trace, name: str, at: int) -> None:
        record = trace.record(at) if trace.record is not None else None
        if record is None:
            return
        rows = trace.executions
        gpu = [one for one in record.memory if _GPU_ALLOCATOR in one.allocator_name]
        end = int(rows.start[at]) + int(rows.op_end_rel[at])
        self.in_use[end] = max((one.allocator_bytes_in_use for one in gpu), default=0)
        for allocator in gpu:
            for one in allocator.allocation_records:
                self.allocations.append((one.alloc_micros, name, one.alloc_bytes))

    def samples(self) -> list[MemorySample]:
        found: list[MemorySample] = []
        held: dict[str, int] = defaultdict(int)
        waiting = sorted(self.allocations, reverse=True)
        for time, in_use in sorted(self.in_use.items()):
            if time - (found[-1].time if found else 0) < _SAMPLE_EVERY_MICROS:
                continue
            while waiting and waiting[-1][0] < time:
                _, name, size = waiting.pop()
                held[name] += size
                if not held[name]:
                    del held[name]  # most memory is freed soon: few holders are left to sort
            largest, rest = _largest(held, in_use)
            found.append(MemorySample(time, in_use, largest, rest))
        return found


def _largest(held: Mapping[str, int], in_use: int) -> tuple[list[tuple[str, int]], int]:
    """The largest holders as long as they fit into what is in use, and what is left of it."""
    found: list[tuple[str, int]] = []
    left = in_use
    for name, size in sorted(held.items(), key=lambda item: (-item[1], item[0])):
        if len(found) == _LARGEST or size <= 0:
            break
        if size <= left:
            found.append((name, size))
            left -= size
    return found, left
