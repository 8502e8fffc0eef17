"""Costs along the graph: a node, and what it reads.

Only the first node that reads something has it below itself: totals are those of a spanning tree.
"""

from __future__ import annotations

import numpy as np

from tfprof.analyses.accounting import nodes as n
from tfprof.analyses.accounting.choice import accounted
from tfprof.analyses.accounting.tree import CostTree
from tfprof.model.options import Options

GRAPH_OP = "_TFGraphParent"


def graph_tree(nodes: n.Nodes, options: Options) -> CostTree:
    """Nodes that do not count are left out; what counts below them moves up."""
    inputs = _inputs(nodes)
    count = len(nodes) + 1
    own = np.zeros((count, n.COLUMNS), np.int64)
    own[1:] = nodes.costs
    own[0, n.DEFINED] = 1
    counts = np.concatenate([[False], accounted(nodes, options)])
    total = own * counts[:, None]
    children: list[list[int]] = [[] for _ in range(count)]
    read = {source for sources in inputs for source in sources}
    roots = [row for row in range(len(nodes)) if row not in read]
    # in the early style what does not count stays in the graph, and takes up depth
    early = options.style == "early" and not options.compat
    _walk(roots, inputs, counts.tolist(), children, keeps_all=early)
    _add_up(children, total)
    row = np.arange(-1, len(nodes), dtype=np.int64)
    return CostTree([n.ROOT, *nodes.names], row, children, own, total, counts)


def _walk(
    roots: list[int],
    inputs: list[list[int]],
    counts: list[bool],
    children: list[list[int]],
    *,
    keeps_all: bool,
) -> None:
    """Depth first, each node once. A frame: node, next input, the row its finds hang off."""
    seen = bytearray(len(inputs))
    for root in roots:
        if seen[root]:
            continue
        seen[root] = 1
        stack = [[root, 0]]
        found: list[list[int]] = [[]]
        while stack:
            node, position = stack[-1]
            if position < len(inputs[node]):
                stack[-1][1] += 1
                source = inputs[node][position]
                if not seen[source]:
                    seen[source] = 1
                    stack.append([source, 0])
                    found.append([])
                continue
            stack.pop()
            below = found.pop()
            if keeps_all or counts[node + 1]:
                children[node + 1] = below
                below = [node + 1]
            (found[-1] if found else children[0]).extend(below)


def _add_up(children: list[list[int]], total: n.Ints) -> None:
    """Parents before children in one list: a subtree is a stretch of it, its total a difference."""
    order = []
    stack = [0]
    while stack:
        at = stack.pop()
        order.append(at)
        stack.extend(children[at])
    size = [1] * len(children)
    for at in reversed(order):
        for child in children[at]:
            size[at] += size[child]
    rows = np.array(order)
    running = np.concatenate([np.zeros((1, n.COLUMNS), np.int64), np.cumsum(total[rows], axis=0)])
    first = np.arange(len(rows))
    total[rows] = running[first + np.array(size)[rows]] - running[first]


def _inputs(nodes: n.Nodes) -> list[list[int]]:
    """By row, the rows it reads, controls included, in input order."""
    graph = nodes.graph
    if graph is None:
        return [[] for _ in nodes.names]
    row_of = nodes.row_of
    to_row = [row_of[name] for name in graph.names]
    offsets, source = graph.edges.offsets.tolist(), graph.edges.node.tolist()
    found = []
    for at in nodes.graph_row.tolist():
        edges = range(offsets[at], offsets[at + 1]) if at >= 0 else range(0)
        found.append([to_row[source[edge]] for edge in edges if source[edge] >= 0])
    return found
