"""What goes from device to device: as recorded, as the executed graphs say, or by the edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import numpy.typing as npt

from tfprof.analyses.graph.partition_graphs import PartitionGraph
from tfprof.analyses.placement.copy_sums import CopyRoute, CopySum
from tfprof.analyses.placement.timeline_labels import LabelledCopy
from tfprof.model.graph import CONTROL, Graph
from tfprof.model.interned import Interned
from tfprof.model.joined_graphs import SENDS, sent_from, transfers
from tfprof.model.trace import Trace
from tfprof.model.units import PS_A_MICROSECOND

Ints = npt.NDArray[np.int64]


def of_records(records: Iterable[LabelledCopy]) -> Iterator[tuple[CopyRoute, CopySum]]:
    for one in records:
        yield (
            CopyRoute(one.source, one.target, one.kind),
            CopySum(1, one.bytes, one.micros * PS_A_MICROSECOND),
        )


def of_parts(parts: Iterable[PartitionGraph], trace: Trace) -> Iterator[tuple[CopyRoute, CopySum]]:
    """Each _Send of the graphs that ran, once a step; its size is what the run gave it."""
    sizes = _Outputs(trace)
    for part in parts:
        for one in transfers(part.graph, SENDS):
            source = sent_from(part.graph, one)
            if source is not None:
                yield (
                    CopyRoute(one.source, one.target, "_Send"),
                    CopySum(1, sizes.of(*source), None),
                )


class _Outputs:
    """The bytes of a node's output in the run; None where no record tells."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        rows = trace.executions
        self._code = {name: code for code, name in enumerate(rows.node.table)}

    def of(self, name: str, port: int) -> int | None:
        code, record = self._code.get(name), self._trace.record
        if code is None or record is None:
            return None
        for row in np.flatnonzero(self._trace.executions.node.codes == code).tolist():
            found = record(row)
            for output in found.output if found is not None else ():
                if output.slot == port:
                    return int(output.tensor_description.allocation_description.requested_bytes)
        return None


# the size of a node's output; None if it is not known, 0 for what only orders
SizeOf = Callable[[int, int], int | None]


def of_edges(
    graph: Graph, rows: Ints, place: Interned, size_of: SizeOf
) -> Iterator[tuple[CopyRoute, CopySum]]:
    """Tensors whose readers are elsewhere: one copy for all readers on a device."""
    edges = graph.edges
    inside = np.zeros(len(graph), bool)
    inside[rows] = True
    source, reader = edges.node, edges.reader
    here = np.array([bool(name) for name in place.table] or [False], bool)[place.codes]
    both = (source >= 0) & inside[reader]
    both[both] = inside[source[both]] & here[source[both]] & here[reader[both]]
    both[both] = place.codes[source[both]] != place.codes[reader[both]]
    crossing = np.flatnonzero(both)
    tensors = np.stack([source[crossing], edges.port[crossing], place.codes[reader[crossing]]])
    for row, port, target in np.unique(tensors, axis=1).T.tolist():
        size = 0 if port == CONTROL else size_of(row, port)
        yield CopyRoute(place[row], place.table[target], "edge"), CopySum(1, size, None)


def crosses(place: Interned) -> bool:
    """Whether anything is read on another device than the one it is made on."""
    used = {place.table[code] for code in place.used()} - {""}
    return len(used) > 1
