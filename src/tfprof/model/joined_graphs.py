"""The graphs that ran on several devices as one: what was sent is read where it was received."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import Edges, Graph
from tfprof.model.interned import Interned
from tfprof.model.names import Names
from tfprof.wire.schema import Proto

SENDS = ("_Send", "_HostSend")
RECEIVES = ("_Recv", "_HostRecv")


@frozen_dataclass
class Transfer:
    """A tensor that a graph hands over or takes: `row` is its _Send or _Recv.

    `by_client`: the session feeds or fetches it, no other device does.
    """

    row: int
    tensor: str
    source: str
    target: str
    by_client: bool

    @property
    def key(self) -> tuple[str, str, str]:
        return self.tensor, self.source, self.target


def transfers(graph: Graph, ops: Sequence[str]) -> Iterator[Transfer]:
    for node in graph.of_type(*ops):
        attributes = node.attributes
        tensor, source, target = (
            bytes(attributes[key].s).decode(errors="replace") if key in attributes else ""
            for key in ("tensor_name", "send_device", "recv_device")
        )
        client = "client_terminated" in attributes and bool(attributes["client_terminated"].b)
        yield Transfer(node.row, tensor, source, target, client)


def sent_from(graph: Graph, send: Transfer) -> tuple[str, int] | None:
    """The node and the output that a _Send hands over; None for what a session fetches."""
    edges = graph.node(send.row).data_edges()
    if send.by_client or not edges or graph.edges.node[edges[0]] < 0:
        return None
    return graph.names[int(graph.edges.node[edges[0]])], int(graph.edges.port[edges[0]])


def joined_graphs(graphs: Sequence[Graph]) -> Graph:
    """Of nodes with one name the first counts, as in one graph."""
    if len(graphs) == 1:
        return graphs[0]
    first = [0, *accumulate(len(graph) for graph in graphs)]
    functions = {name: body for graph in reversed(graphs) for name, body in graph.functions.items()}
    return Graph(
        Names([name for graph in graphs for name in graph.names]),
        Interned.joined([graph.ops for graph in graphs]),
        Interned.joined([graph.devices for graph in graphs]),
        _edges(graphs, first, _sent(graphs, first)),
        _Joined(graphs, first),
        functions,
        max(graph.producer for graph in graphs),
        next((graph.cut for graph in graphs if graph.cut), ""),
    )


# by the row of a _Recv: the node that made what it takes, and which of its outputs
_Sent = dict[int, tuple[int, int]]


def _sent(graphs: Sequence[Graph], first: Sequence[int]) -> _Sent:
    made: dict[tuple[str, str, str], tuple[int, int]] = {}
    for graph, start in zip(graphs, first, strict=False):
        for one in transfers(graph, SENDS):
            source = sent_from(graph, one)
            if source is not None:
                made[one.key] = start + graph.index[source[0]], source[1]
    return {
        start + one.row: made[one.key]
        for graph, start in zip(graphs, first, strict=False)
        for one in transfers(graph, RECEIVES)
        if one.key in made
    }


def _edges(graphs: Sequence[Graph], first: Sequence[int], sent: _Sent) -> Edges:
    nodes = [
        np.where(graph.edges.node >= 0, graph.edges.node + start, graph.edges.node)
        for graph, start in zip(graphs, first, strict=False)
    ]
    node, port = np.concatenate(nodes), np.concatenate([graph.edges.port for graph in graphs])
    counts = np.concatenate([np.diff(graph.edges.offsets) for graph in graphs])
    reader = np.repeat(np.arange(len(counts)), counts)
    rows = np.array(list(sent), np.int64)
    made = np.array(list(sent.values()), np.int64).reshape(-1, 2)
    # what is received comes before what a _Recv waits for
    order = np.argsort(np.concatenate([rows, reader]), kind="stable")
    counts[rows] += 1
    return Edges(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        np.concatenate([made[:, 0], node])[order].astype(np.int32),
        np.concatenate([made[:, 1], port])[order].astype(np.int32),
    )


@frozen_dataclass
class _Joined:
    """The attributes of several graphs, by the rows of all of them together."""

    graphs: Sequence[Graph]
    first: Sequence[int]

    def of(self, node: int) -> Mapping[str, Proto]:
        part = bisect_right(self.first, node) - 1
        return self.graphs[part].attributes.of(node - self.first[part])

    def column(self, name: str, among: npt.NDArray[np.int64] | None = None) -> Mapping[int, Proto]:
        found: dict[int, Proto] = {}
        for graph, start in zip(self.graphs, self.first, strict=False):
            some = among
            if among is not None:
                some = among[(among >= start) & (among < start + len(graph))] - start
            held = graph.attributes.column(name, some)
            found.update((start + row, value) for row, value in held.items())
        return found
