"""Accounting into views: what the scope, graph and op questions come to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tfprof.analyses.accounting import nodes as n
from tfprof.analyses.accounting.code import code_tree
from tfprof.analyses.accounting.graph import GRAPH_OP, graph_tree
from tfprof.analyses.accounting.op import op_list
from tfprof.analyses.accounting.scope import SCOPE_OP, scope_tree
from tfprof.analyses.accounting.tree import (
    CostTree,
    Shown,
    code_filter,
    display,
    early_filter,
    late_filter,
    with_started_total,
)
from tfprof.analyses.float_ops import count_float_ops
from tfprof.errors import InputMissing
from tfprof.model.oplog import OpLog
from tfprof.model.options import EVERYTHING, Options
from tfprof.model.profile import ProfileData
from tfprof.views.costs import (
    CostRow,
    CostTreeView,
    InputShape,
    InputSignature,
    OpCostRow,
    OpCostView,
    TensorValue,
)


def scope_view(data: ProfileData, options: Options, nodes: n.Nodes | None = None) -> CostTreeView:
    nodes = nodes or prepared(data, options)
    view = _tree_view(scope_tree(nodes, options), nodes, options, SCOPE_OP)
    return _with_values(view, data)


def graph_view(data: ProfileData, options: Options, nodes: n.Nodes | None = None) -> CostTreeView:
    nodes = nodes or prepared(data, options)
    view = _tree_view(graph_tree(nodes, options), nodes, options, GRAPH_OP)
    return _with_values(view, data)


def _with_hidden(rows: list[CostRow], shown: Shown) -> list[CostRow]:
    """Early graphs can tell how many nodes lie between two that are displayed."""
    return [replace(row, hidden=count) for row, count in zip(rows, shown.hidden, strict=True)]


def preparation(options: Options) -> tuple[int, bool, bool]:
    """What the nodes depend on: questions that agree in this can share them."""
    flops = "float_ops" in (*options.select, options.order_by) or options.min_float_ops > 0
    return options.step, options.compat, flops


def prepared(data: ProfileData, options: Options) -> n.Nodes:
    """With FLOPs of our own counting where they are asked for and the op log has none."""
    _, _, asked = preparation(options)
    logged = data.oplog is not None and data.oplog.float_ops
    if asked and not logged and not options.compat and data.graph is not None:
        log = data.oplog or OpLog({}, {})
        data = replace(data, oplog=replace(log, float_ops=count_float_ops(data).by_node))
    return n.build_nodes(data, options.step, compat=options.compat)


def _with_values(view: CostTreeView, data: ProfileData) -> CostTreeView:
    """What the checkpoint holds for each displayed node, where that was asked for."""
    checkpoint = data.checkpoint
    if "tensor_value" not in view.select or checkpoint is None:
        return view
    rows = []
    for row in view.rows:
        tensor = checkpoint.tensors.get(row.name)
        if tensor is not None:
            values = checkpoint.values(tensor).reshape(-1).tolist()
            row = replace(row, value=TensorValue(values, tensor.shape))  # noqa: PLW2901
        rows.append(row)
    return replace(view, rows=rows)


def code_view(data: ProfileData, options: Options, nodes: n.Nodes | None = None) -> CostTreeView:
    """Needs an op log with code lines."""
    if data.oplog is None or not data.oplog.has_code:
        raise InputMissing("no code lines: the code view needs an op log that has them")
    nodes = nodes or prepared(data, options)
    found = code_tree(nodes, data.oplog, options)
    distinct = [len(set(rows)) for rows in found.made]
    shown = display(
        found.tree,
        options,
        code_filter(found.tree, options),
        skips_closed=True,
        nodes_in=distinct,
    )
    rows = []
    for row, at in zip(_rows(shown, nodes, "", options), shown.at, strict=True):
        made = found.made[at]
        devices = tuple(sorted({nodes.devices[node] for node in made}))
        types = tuple(sorted({kind for node in made for kind in nodes.all_types(node)}))
        rows.append(replace(row, devices=devices, types=types))
    return CostTreeView(rows, frozenset(options.select), of_code=True, style=style_of(options))


def op_view(data: ProfileData, options: Options, nodes: n.Nodes | None = None) -> OpCostView:
    nodes = nodes or prepared(data, options)
    found = op_list(nodes, options)
    rows = [
        OpCostRow(
            row.op,
            tuple(row.own.tolist()),
            tuple(row.total.tolist()),
            row.nodes,
            tuple(sorted({nodes.devices[at] for at in row.picked})),
            tuple(sorted({kind for at in row.picked for kind in nodes.all_types(at)})),
            _signatures(nodes, row.picked, options),
        )
        for row in found.rows
    ]
    root = tuple(found.root_total.tolist())
    return OpCostView(
        rows, root, frozenset(options.select), empty_graph=not len(nodes), style=style_of(options)
    )


def _signatures(nodes: n.Nodes, picked: list[int], options: Options) -> tuple[InputSignature, ...]:
    """The distinct input shapes of a type's nodes, most runs first."""
    if "input_shapes" not in options.select:
        return ()
    groups: dict[tuple[tuple[int, InputShape], ...], list[int]] = {}
    for row in dict.fromkeys(picked):
        shapes = tuple(nodes.input_shapes(row, compat=options.compat))
        groups.setdefault(shapes, []).append(row)
    found = [
        InputSignature(
            shapes,
            int(nodes.costs[rows, n.RUNS].sum()),
            len(rows),
            int(nodes.costs[rows, n.MICROS].sum()),
        )
        for shapes, rows in groups.items()
    ]
    return tuple(found)


def _tree_view(tree: CostTree, nodes: n.Nodes, options: Options, made_up: str) -> CostTreeView:
    early = style_of(options) == "early"
    if early:

        def device_of(at: int) -> str:
            row = int(tree.row[at])
            return nodes.devices[row] if row >= 0 else ""

        tree = with_started_total(tree, options)
        shown = display(tree, options, early_filter(tree, options, device_of))
    else:
        shown = display(tree, options, late_filter(tree, options))
    rows = _rows(shown, nodes, made_up, options)
    if early and made_up == GRAPH_OP and "num_hidden_ops" in options.select:
        rows = _with_hidden(rows, shown)
    if early and options.account_type_regexes == EVERYTHING:
        rows[0] = replace(rows[0], accounted=True)
    return CostTreeView(rows, frozenset(options.select), style=style_of(options))


def style_of(options: Options) -> str:
    return "original" if options.compat else options.style


def _rows(shown: Shown, nodes: n.Nodes, made_up: str, options: Options) -> list[CostRow]:
    """What is displayed, as rows; columns leave numpy together, which is much of the time."""
    tree = shown.tree
    at = np.array(shown.at)
    row_of = tree.row[at].tolist()
    columns = zip(
        shown.at,
        row_of,
        shown.parent,
        shown.indent,
        tree.accounted[at].tolist(),
        map(tuple, tree.own[at].tolist()),
        map(tuple, shown.total.tolist()),
        strict=True,
    )
    wants_types = "op_types" in options.select
    wants_inputs = "input_shapes" in options.select
    rows = []
    for place, row, parent, indent, accounted, own, total in columns:
        label = tree.labels[place]
        if row < 0:
            rows.append(CostRow(label, parent, indent, accounted, own, total, types=(made_up,)))
            continue
        types = tuple(nodes.all_types(row)) if wants_types else ()
        inputs = tuple(nodes.input_shapes(row, compat=options.compat)) if wants_inputs else ()
        shape, device = nodes.shapes.get(row, ()), nodes.devices[row]
        rows.append(
            CostRow(label, parent, indent, accounted, own, total, shape, device, types, inputs)
        )
    return rows
