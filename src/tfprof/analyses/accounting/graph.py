"""Costs along the graph: a node, and what it reads.

Only the first node that reads something has it below itself: totals are those of a spanning tree.
"""

from __future__ import annotations

import numpy as np

from tfprof.analyses.accounting import nodes as n
from tfprof.analyses.accounting.ancestry import ROOT_AT, Walk, nearest, renumbered
from tfprof.analyses.accounting.cost_columns import costs_at, filled, no_costs
from tfprof.analyses.accounting.regexes import accounted, matcher
from tfprof.analyses.accounting.tree import CostTree
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import metrics
from tfprof.model.options import EVERYTHING, Options
from tfprof.results import trees as c

GRAPH_OP = "_TFGraphParent"


def graph_tree(nodes: n.Nodes, options: Options) -> CostTree:
    """Nodes that do not count are left out; what counts below them moves up."""
    count = len(nodes) + 1
    own = no_costs(count)
    for column in filled(nodes.costs):
        own[1:, column] = nodes.costs[:, column]
    own[ROOT_AT, metrics.DEFINED] = 1
    counts = np.concatenate([[False], accounted(nodes, options)])
    early = options.style == "early" and not options.compat
    if early and options.start_name_regexes != EVERYTHING:
        match = matcher(options.start_name_regexes, "start_name_regexes", lenient=False)
        links = _Links.of(nodes, by_name=True)
        starts = _first_matches(links, links.roots, [match(name) for name in nodes.names])
        parent, found = _spanning_tree(links, starts)
    else:
        parent, found = _whole_tree(nodes, by_name=early)
    # early, what does not count stays in the graph and takes up depth; nothing leads to a circle
    kept = (found > 0) & (counts | early)
    kept[ROOT_AT] = True
    above = renumbered(nearest(parent, kept)[kept], kept)
    walk = Walk.of(above, found[kept])
    rows = np.flatnonzero(kept)
    own, counts = costs_at(own, rows), counts[kept]
    total = walk.sums(own, ~counts)
    row = rows - 1
    labels = [c.ROOT_NAME, *map(nodes.names.__getitem__, row[1:].tolist())]
    return CostTree(labels, row, above, walk, own, total, counts, in_order=True)


def _whole_tree(nodes: n.Nodes, *, by_name: bool) -> tuple[n.Ints, n.Ints]:
    """The tree from all roots, which the next question is likely to need again."""
    known = nodes.spanning_trees
    if by_name not in known:
        links = _Links.of(nodes, by_name=by_name)
        known[by_name] = _spanning_tree(links, links.roots)
    return known[by_name]


@frozen_dataclass(slots=False)
class _Links:
    """What each row reads, controls included, the last first: that is how a stack takes it.

    Row `i` reads `source` from `begins[i]` to `begins[i - 1]`.
    """

    begins: list[int]
    source: list[int]
    is_read: n.Mask

    @classmethod
    def of(cls, nodes: n.Nodes, *, by_name: bool) -> _Links:
        """In input order; in the early tool, in order of names."""
        is_read = np.zeros(len(nodes), bool)
        graph = nodes.graph
        if graph is None:
            return cls([0] * (len(nodes) + 1), [], is_read)
        edges, row_of = graph.edges, nodes.row_of_graph
        # of nodes with one name, the first counts
        first = nodes.graph_row[row_of] == np.arange(len(graph))
        known = np.flatnonzero((edges.node >= 0) & first[edges.reader])
        reader, source = row_of[edges.reader[known]], row_of[edges.node[known]]
        order = np.lexsort((source, reader)) if by_name else np.argsort(reader, kind="stable")
        is_read[source] = True
        counts = np.bincount(reader, minlength=len(nodes))
        # behind the last row stands where the first ends
        begins = len(order) - np.append(np.cumsum(counts), 0)
        return cls(begins.tolist(), source[order[::-1]].tolist(), is_read)

    @property
    def roots(self) -> list[int]:
        """What nobody reads, the last first."""
        found: list[int] = np.flatnonzero(~self.is_read)[::-1].tolist()
        return found

    def of_row(self, row: int) -> list[int]:
        return self.source[self.begins[row] : self.begins[row - 1]]


def _first_matches(links: _Links, roots: list[int], matches: list[bool]) -> list[int]:
    """What to start from, the last first: the first match on each way down."""
    found = []
    seen = bytearray(len(matches))
    stack = list(roots)
    while stack:
        row = stack.pop()
        if seen[row]:
            continue
        seen[row] = 1
        if matches[row]:
            found.append(row)
        else:
            stack += links.of_row(row)
    return found[::-1]


def _spanning_tree(links: _Links, roots: list[int]) -> tuple[n.Ints, n.Ints]:
    """Depth first, each node once: its parent in the tree, and when it was found."""
    count = len(links.is_read)
    begins, source = links.begins, links.source
    # who was the last to put a node on the stack is the one it is taken off for
    reader = [-1] * count
    seen = bytearray(count)
    walked: list[int] = []
    stack = list(roots)
    while stack:
        row = stack.pop()
        if seen[row]:
            continue
        seen[row] = 1
        walked.append(row)
        for one in source[begins[row] : begins[row - 1]]:
            if not seen[one]:
                reader[one] = row
                stack.append(one)
    parent, found = np.zeros((2, count + 1), np.int64)
    parent[1:] = reader
    parent[1:] += 1
    found[1:][walked] = np.arange(1, len(walked) + 1)
    return parent, found
