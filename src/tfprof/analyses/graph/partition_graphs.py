"""The graph that ran in place of the one that was written: on all devices, or on one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.errors import InputMissing, UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import DeviceNames
from tfprof.model.graph import Graph, Shape
from tfprof.model.hosts import Hosts
from tfprof.model.joined_graphs import RECEIVES, SENDS, joined_graphs, sent_from, transfers
from tfprof.model.profile import ProfileData
from tfprof.model.providers import Attributes
from tfprof.model.trace import Partition, Trace
from tfprof.model.trace_parts import some_of
from tfprof.ops.run_shapes import RunShapes
from tfprof.wire.schema import Proto, message_class

# what ran: the parts of a session's graph, else those of functions
KINDS = ("partition", "function partition")
OUTPUT_SHAPES = "_output_shapes"
_HINT = "Trace with RunOptions(output_partition_graphs=True)."


@frozen_dataclass
class PartitionGraph:
    """A graph as one device executed it."""

    partition: Partition
    graph: Graph
    device: str


def partition_graphs(trace: Trace | None) -> list[PartitionGraph]:
    """Of the first step that has any; a later one runs the same."""
    partitions = trace.partitions if trace is not None else ()
    for kind in KINDS:
        steps = [one.step for one in partitions if one.kind == kind]
        if steps:
            chosen = (p for p in partitions if p.kind == kind and p.step == min(steps))
            return [
                PartitionGraph(one, graph, _device(graph))
                for one in chosen
                for graph in [one.load()]
            ]
    return []


def _device(graph: Graph) -> str:
    """The device of most nodes: in a partition it is that of all."""
    return next((name for name in graph.devices.counts() if name), "")


def with_received(found: Sequence[PartitionGraph], trace: Trace) -> list[PartitionGraph]:
    """With the shapes of what each graph receives, as the run met them where they were made."""
    met = RunShapes(trace)
    made = {
        one.key: sent_from(part.graph, one)
        for part in found
        for one in transfers(part.graph, SENDS)
    }
    shaped = []
    for part in found:
        shapes: dict[int, Shape] = {}
        for one in transfers(part.graph, RECEIVES):
            name, port = made.get(one.key) or ("", 0)
            shape = met.of(name, port) if name else None
            if shape is not None:
                shapes[one.row] = shape
        graph = replace(part.graph, attributes=_WithShapes(part.graph.attributes, shapes))
        shaped.append(replace(part, graph=graph))
    return shaped


@frozen_dataclass
class _WithShapes:
    """Attributes with the shape that TensorFlow would have written to some nodes."""

    attributes: Attributes
    shapes: Mapping[int, Shape]

    def of(self, node: int) -> Mapping[str, Proto]:
        found = self.attributes.of(node)
        return {**found, OUTPUT_SHAPES: self._value(node)} if node in self.shapes else found

    def column(self, name: str, among: npt.NDArray[np.int64] | None = None) -> Mapping[int, Proto]:
        found = self.attributes.column(name, among)
        if name != OUTPUT_SHAPES:
            return found
        told = self.shapes.keys() if among is None else self.shapes.keys() & set(among.tolist())
        return {**found, **{node: self._value(node) for node in told}}

    def _value(self, node: int) -> Proto:
        value = message_class("AttrValue")()
        shape = value.list.shape.add()
        for size in self.shapes[node]:
            shape.dim.add().size = -1 if size is None else size
        return value


def executed(data: ProfileData, device: str | None = None) -> ProfileData:
    """With the graphs that ran in place of the graph; of one device, only what ran there.

    Of the joined trace: a part may be of any host, and only metadata of runs, of one, has any.
    """
    data = data.as_recorded()
    found = partition_graphs(data.trace)
    if not found or data.trace is None:
        raise InputMissing(
            "no graph as it was executed: the run metadata has no partition graphs", hint=_HINT
        )
    found = with_received(found, data.trace)
    if device is None:
        whole = joined_graphs([part.graph for part in found])
        return replace(data, graph=whole, is_executed=True)
    names = DeviceNames([*data.trace.executions.device.table, *(part.device for part in found)])
    chosen = _chosen(device, names, (part.device for part in found))
    graphs = [part for part in found if names(part.device) == chosen]
    trace = replace(
        _ran_on(data.trace, names, chosen), partitions=tuple(part.partition for part in graphs)
    )
    return replace(
        data,
        title=f"{data.title}, executed on {chosen}",
        graph=joined_graphs([part.graph for part in graphs]),
        hosts=Hosts.of(trace),
        is_executed=True,
    )


def _chosen(device: str, names: DeviceNames, devices: Iterable[str]) -> str:
    known = list(dict.fromkeys(names(name) for name in devices))
    fitting = [name for name in names.find(device) if name in known]
    if len(fitting) == 1:
        return fitting[0]
    listed = f"One of {', '.join(known)}."
    if fitting:
        raise UsageError(f"{device!r} means {' and '.join(fitting)}", hint=listed)
    raise UsageError(f"no graph was executed on {device!r}", hint=listed)


def _ran_on(trace: Trace, names: DeviceNames, device: str) -> Trace:
    table = [names(name) == device for name in trace.executions.device.table]
    codes = trace.executions.device.codes
    return some_of(trace, np.flatnonzero(np.array(table or [False], bool)[codes]))
