"""Costs by name scope."""

from __future__ import annotations

import numpy as np

from tfprof.analyses.accounting import nodes as n
from tfprof.analyses.accounting.ancestry import ROOT_AT, Walk, renumbered
from tfprof.analyses.accounting.cost_columns import costs_at, filled, no_costs
from tfprof.analyses.accounting.regexes import accounted, matcher
from tfprof.analyses.accounting.tree import CostTree
from tfprof.model import metrics
from tfprof.model.options import EVERYTHING, Options

SCOPE_OP = "_kTFScopeParent"


def scope_tree(nodes: n.Nodes, options: Options) -> CostTree:
    """Every node under its scope; scopes that are no node of their own are made up."""
    labels, row, parent = nodes.scopes
    count = len(labels)
    real = row >= 0
    own = no_costs(count)
    for column in filled(nodes.costs):
        own[real, column] = nodes.costs[:, column]
    own[~real, metrics.DEFINED] = 1
    counts = np.zeros(count, bool)
    counts[real] = accounted(nodes, options)[row[real]]
    made_up_counts = options.account_type_regexes == EVERYTHING or matcher(
        options.account_type_regexes, "account_type_regexes", lenient=options.compat
    )(SCOPE_OP)
    counts[~real] = made_up_counts
    counts[ROOT_AT] = False
    walk = Walk.of(parent)
    # what is kept: what counts, and what something that counts hangs off
    kept = walk.sums(counts.astype(np.int64)) > 0
    kept[ROOT_AT] = True
    # the original adds a kept scope's own cost whether it counts or not
    left_out = ~(kept if options.compat else counts)
    left_out[ROOT_AT] = True
    total = walk.sums(own, left_out)
    if kept.all():
        return CostTree(labels, row, parent, walk, own, total, counts, in_order=True)
    return CostTree(
        [labels[at] for at in np.flatnonzero(kept).tolist()],
        row[kept],
        renumbered(parent[kept], kept),
        walk.kept(kept),
        costs_at(own, np.flatnonzero(kept)),
        costs_at(total, np.flatnonzero(kept)),
        counts[kept],
        in_order=True,
    )
