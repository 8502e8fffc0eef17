"""The graphs that devices executed: how large they are, and node by node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from tfprof.analyses.placement.profile_placement import Placement
from tfprof.model.graph import CONTROL, Graph
from tfprof.model.joined_graphs import RECEIVES, SENDS
from tfprof.model.profile import ProfileData
from tfprof.results.placement import DeviceGraph, ExecutedGraph, PlacedNode


def executed_graphs(found: Placement) -> Iterator[ExecutedGraph]:
    for part in found.parts:
        graph = part.graph
        yield ExecutedGraph(
            found.names(part.device),
            part.partition.kind,
            part.partition.step,
            len(graph),
            int(np.count_nonzero(graph.edges.port != CONTROL)),
            len(graph.ops.where(*SENDS)),
            len(graph.ops.where(*RECEIVES)),
        )


def subgraphs(data: ProfileData, found: Placement) -> Iterator[DeviceGraph]:
    """As executed; without such graphs the nodes of the graph by where they are; else the run's."""
    for part in found.parts:
        yield _subgraph(part.graph, range(len(part.graph)), found, found.names(part.device))
    if found.parts:
        return
    if data.graph is not None and found.place is not None:
        for code in found.place.used():
            rows = np.flatnonzero(found.place.codes == code).tolist()
            yield _subgraph(data.graph, rows, found, found.place.table[code])
        return
    types = _types(data)
    for device in found.ran.devices:
        names = (name for name, places in found.ran.places.items() if device in places)
        yield DeviceGraph(
            device,
            tuple(
                PlacedNode(name, types.get(name, ""), (), _micros(found, name, device))
                for name in names
            ),
        )


def _types(data: ProfileData) -> dict[str, str]:
    """As each node ran first."""
    found: dict[str, str] = {}
    for rows in (host.trace.executions for host in reversed(data.hosts)):
        if rows.op is not None:
            first = np.unique(rows.node.codes, return_index=True)[1].tolist()
            found |= {rows.node[row]: rows.op[row] for row in first}
    return found


def _subgraph(graph: Graph, rows: Iterable[int], found: Placement, device: str) -> DeviceGraph:
    names, edges = graph.names.tolist(), graph.edges
    offsets, node, port = edges.offsets.tolist(), edges.node.tolist(), edges.port.tolist()

    def reads(row: int) -> Iterator[str]:
        for edge in range(offsets[row], offsets[row + 1]):
            name = names[node[edge]] if node[edge] >= 0 else "?"
            number = f":{port[edge]}" if port[edge] > 0 else ""
            yield f"^{name}" if port[edge] == CONTROL else name + number

    nodes = tuple(
        PlacedNode(
            names[row], graph.ops[row], tuple(reads(row)), _micros(found, names[row], device)
        )
        for row in rows
    )
    return DeviceGraph(device or "not placed", nodes)


def _micros(found: Placement, name: str, device: str) -> float | None:
    micros = found.ran.micros.get((name, device))
    return None if micros is None else micros / found.ran.steps
