"""The order in which the nodes of a graph can be looked at: inputs first, loops cut open."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from tfprof.model.graph import Graph

BACK_EDGES = ("NextIteration", "RefNextIteration")


def in_order(graph: Graph, rows: Sequence[int]) -> list[int]:
    """Inputs before what reads them. What still waits on itself at the end comes last."""
    inside = np.zeros(len(graph), bool)
    inside[rows] = True
    edges = graph.edges
    turns_back = np.zeros(len(graph), bool)
    turns_back[graph.ops.where(*BACK_EDGES)] = True
    source = edges.node
    counts = (source >= 0) & inside[edges.reader] & inside[source] & ~turns_back[source]
    live = np.flatnonzero(counts)
    readers, sources = edges.reader[live], source[live]
    waits_for = np.bincount(readers, minlength=len(graph)).tolist()
    by_source = np.argsort(sources, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=len(graph)))]).tolist()
    reads = readers[by_source].tolist()
    ready = deque(row for row in rows if not waits_for[row])
    order = []
    while ready:
        row = ready.popleft()
        order.append(row)
        for reader in reads[offsets[row] : offsets[row + 1]]:
            waits_for[reader] -= 1
            if not waits_for[reader]:
                ready.append(reader)
    if len(order) < len(rows):
        done = set(order)
        order += [row for row in rows if row not in done]
    return order
