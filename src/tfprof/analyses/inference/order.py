"""The order in which the nodes of a graph can be looked at: inputs first, loops cut open."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from tfprof.model.graph import Graph

# so few are linked faster one by one
_FEW_NODES = 64
BACK_EDGES = ("NextIteration", "RefNextIteration")


def in_order(graph: Graph, rows: Sequence[int]) -> list[int]:
    """Inputs before what reads them. What still waits on itself at the end comes last."""
    waits_for, reads, offsets = _links(graph, rows)
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


def _links(graph: Graph, rows: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """How many inputs each row waits for; who reads a row, between its offset and the next one."""
    if len(graph) <= _FEW_NODES:
        return _links_of_few(graph, rows)
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
    return waits_for, readers[by_source].tolist(), offsets


def _links_of_few(graph: Graph, rows: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """The same without arrays: a library may have many thousand small functions."""
    inside = set(rows)
    codes, table = graph.ops.codes.tolist(), graph.ops.table
    starts, sources = graph.edges.offsets.tolist(), graph.edges.node.tolist()
    waits_for = [0] * len(graph)
    readers: list[list[int]] = [[] for _ in waits_for]
    for reader in sorted(inside):
        for source in sources[starts[reader] : starts[reader + 1]]:
            if source in inside and table[codes[source]] not in BACK_EDGES:
                waits_for[reader] += 1
                readers[source].append(reader)
    offsets = [0, *accumulate(map(len, readers))]
    return waits_for, [reader for some in readers for reader in some], offsets
