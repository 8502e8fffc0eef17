"""Costs along the graph: a node, and what it reads.

Only the first node that reads something has it below itself: totals are those of a spanning tree.
"""

from __future__ import annotations

import numpy as np

from tfprof.analyses.accounting import nodes as n
from tfprof.analyses.accounting.ancestry import ROOT_AT, Walk, nearest, renumbered
from tfprof.analyses.accounting.choice import accounted
from tfprof.analyses.accounting.tree import CostTree
from tfprof.model.options import Options

GRAPH_OP = "_TFGraphParent"


def graph_tree(nodes: n.Nodes, options: Options) -> CostTree:
    """Nodes that do not count are left out; what counts below them moves up."""
    count = len(nodes) + 1
    own = np.zeros((count, n.COLUMNS), np.int64)
    own[1:] = nodes.costs
    own[ROOT_AT, n.DEFINED] = 1
    counts = np.concatenate([[False], accounted(nodes, options)])
    # in the early style what does not count stays in the graph, and takes up depth
    keeps_all = options.style == "early" and not options.compat
    parent, found = _spanning_tree(nodes)
    kept = (found > 0) & (counts | keeps_all)  # nothing leads to a circle nobody reads
    kept[ROOT_AT] = True
    above = renumbered(nearest(parent, kept)[kept], kept)
    walk = Walk.of(above, found[kept])
    total = walk.sums((own * counts[:, None])[kept])
    row = np.flatnonzero(kept) - 1
    labels = [n.ROOT, *map(nodes.names.__getitem__, row[1:].tolist())]
    return CostTree(labels, row, above, walk, own[kept], total, counts[kept])


def _spanning_tree(nodes: n.Nodes) -> tuple[n.Ints, n.Ints]:
    """Depth first from what nobody reads, each node once: its parent, and when it was found."""
    offsets, source = _inputs(nodes)
    read = np.zeros(len(nodes), bool)
    read[source] = True
    starts, reads = offsets.tolist(), source.tolist()
    parent, found = [0] * (len(nodes) + 1), [0] * (len(nodes) + 1)
    seen = bytearray(len(nodes))
    time = 0
    stack = [(row, -1) for row in np.flatnonzero(~read)[::-1].tolist()]
    while stack:
        row, reader = stack.pop()
        if seen[row]:
            continue
        seen[row] = 1
        time += 1
        parent[row + 1], found[row + 1] = reader + 1, time
        # pushed from the last on: the first input is walked whole before the second
        stack += [(one, row) for one in reads[starts[row] : starts[row + 1]][::-1] if not seen[one]]
    return np.array(parent), np.array(found)


def _inputs(nodes: n.Nodes) -> tuple[n.Ints, n.Ints]:
    """What each row reads, controls included, in input order: offsets by row, and rows."""
    graph = nodes.graph
    if graph is None:
        return np.zeros(len(nodes) + 1, np.int64), np.zeros(0, np.int64)
    edges = graph.edges
    row_of = nodes.row_of_graph
    # of nodes with one name, the first counts
    first = nodes.graph_row[row_of] == np.arange(len(graph))
    known = np.flatnonzero((edges.node >= 0) & first[edges.reader])
    reader, source = row_of[edges.reader[known]], row_of[edges.node[known]]
    order = np.argsort(reader, kind="stable")
    counts = np.bincount(reader, minlength=len(nodes))
    return np.concatenate([[0], np.cumsum(counts)]), source[order]
