"""Accounting into views: what the scope, graph and op questions come to."""

from __future__ import annotations

from tfprof.analyses.accounting import nodes as n
from tfprof.analyses.accounting.graph import GRAPH_OP, graph_tree
from tfprof.analyses.accounting.op import op_list
from tfprof.analyses.accounting.scope import SCOPE_OP, scope_tree
from tfprof.analyses.accounting.tree import CostTree, Shown, display, late_filter
from tfprof.model.profile import ProfileData
from tfprof.views.costs import CostRow, CostTreeView, OpCostRow, OpCostView
from tfprof.views.options import Options


def scope_view(data: ProfileData, options: Options) -> CostTreeView:
    nodes = n.build_nodes(data, options.step, compat=options.compat)
    return _tree_view(scope_tree(nodes, options), nodes, options, SCOPE_OP)


def graph_view(data: ProfileData, options: Options) -> CostTreeView:
    nodes = n.build_nodes(data, options.step, compat=options.compat)
    return _tree_view(graph_tree(nodes, options), nodes, options, GRAPH_OP)


def op_view(data: ProfileData, options: Options) -> OpCostView:
    nodes = n.build_nodes(data, options.step, compat=options.compat)
    found = op_list(nodes, options)
    rows = [
        OpCostRow(
            row.op,
            tuple(row.own.tolist()),
            tuple(row.total.tolist()),
            row.nodes,
            tuple(sorted({nodes.devices[at] for at in row.picked})),
            tuple(sorted({kind for at in row.picked for kind in nodes.all_types(at)})),
        )
        for row in found.rows
    ]
    root = tuple(found.root_total.tolist())
    return OpCostView(rows, root, frozenset(options.select), empty_graph=not len(nodes))


def _tree_view(tree: CostTree, nodes: n.Nodes, options: Options, made_up: str) -> CostTreeView:
    shown = display(tree, options, late_filter(tree, options))
    rows = [_row(shown, position, nodes, made_up) for position in range(len(shown.at))]
    return CostTreeView(rows, frozenset(options.select))


def _row(shown: Shown, position: int, nodes: n.Nodes, made_up: str) -> CostRow:
    tree, at = shown.tree, shown.at[position]
    row = int(tree.row[at])
    return CostRow(
        tree.labels[at],
        shown.parent[position],
        shown.indent[position],
        bool(tree.accounted[at]),
        tuple(tree.own[at].tolist()),
        tuple(shown.total[position].tolist()),
        nodes.shapes.get(row, ()) if row >= 0 else (),
        nodes.devices[row] if row >= 0 else "",
        tuple(nodes.all_types(row)) if row >= 0 else (made_up,),
    )
