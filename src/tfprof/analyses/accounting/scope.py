"""Costs by name scope."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.analyses.accounting import nodes as n
from tfprof.analyses.accounting.choice import accounted, matcher
from tfprof.analyses.accounting.tree import CostTree
from tfprof.model.options import EVERYTHING, Options

SCOPE_OP = "_kTFScopeParent"


def scope_tree(nodes: n.Nodes, options: Options) -> CostTree:
    """Every node under its scope; scopes that are no node of their own are made up."""
    labels, row, parent = nodes.scopes
    count = len(labels)
    own = np.zeros((count, n.COLUMNS), np.int64)
    own[:, n.DEFINED] = 1
    real = row >= 0
    own[real] = nodes.costs[row[real]]
    counts = np.zeros(count, bool)
    counts[real] = accounted(nodes, options)[row[real]]
    made_up_counts = options.account_type_regexes == EVERYTHING or matcher(
        options.account_type_regexes, "account_type_regexes", lenient=options.compat
    )(SCOPE_OP)
    counts[~real] = made_up_counts
    counts[0] = False
    kept, total = _account(own, counts, parent, compat=options.compat)
    children: list[list[int]] = [[] for _ in range(count)]
    for at in np.flatnonzero(kept).tolist():
        if at:
            children[parent[at]].append(at)
    return CostTree(labels, row, children, own, total, counts)


def _account(
    own: npt.NDArray[np.int64],
    counts: npt.NDArray[np.bool_],
    parent: list[int],
    *,
    compat: bool,
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """What is kept: what counts, and what something that counts hangs off. Children come later."""
    above = np.array(parent, np.int64)
    level = np.zeros(len(above), np.int64)
    for at in range(1, len(parent)):
        level[at] = level[parent[at]] + 1
    kept = counts.copy()
    total = own * counts[:, None]
    by_level = np.argsort(level, kind="stable")
    bounds = np.searchsorted(level[by_level], np.arange(int(level.max(initial=0)) + 2))
    for depth in range(len(bounds) - 2, 0, -1):
        rows = by_level[bounds[depth] : bounds[depth + 1]]
        rows = rows[kept[rows]]
        if compat:
            # the original adds a kept node's own cost whether it counts or not
            lacking = rows[~counts[rows]]
            total[lacking] += own[lacking]
        np.add.at(total, above[rows], total[rows])
        kept[above[rows]] = True
    total[0] -= own[0] * counts[0]
    kept[0] = True
    return kept, total
