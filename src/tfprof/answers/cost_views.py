"""Accounting into views: what the scope, graph and op questions come to."""

from __future__ import annotations

from dataclasses import replace

from tfprof.analyses.accounting import nodes as n
from tfprof.analyses.accounting.ancestry import ROOT_AT
from tfprof.analyses.accounting.choice import matcher
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
from tfprof.analyses.completed import completed
from tfprof.analyses.inference.sites import Given
from tfprof.errors import InputMissing
from tfprof.model.oplog import TRAINABLE
from tfprof.model.options import EVERYTHING, Options
from tfprof.model.profile import ProfileData
from tfprof.views.costs import (
    CostRows,
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
    tree = graph_tree(nodes, options)
    if style_of(options) == "early":  # its graph is built from where it starts
        options = replace(options, start_name_regexes=EVERYTHING)
    return _with_values(_tree_view(tree, nodes, options, GRAPH_OP), data)


def preparation(options: Options) -> tuple[int, bool, bool, bool]:
    """What the nodes depend on: questions that agree in this can share them."""
    flops = "float_ops" in (*options.select, options.order_by) or options.min_float_ops > 0
    types = options.account_type_regexes
    trained = "op_types" in options.select or (
        types != EVERYTHING
        and matcher(types, "account_type_regexes", lenient=options.compat)(TRAINABLE)
    )
    return options.step, options.compat, flops, trained


def with_what_is_asked(
    data: ProfileData, options: Options, given: Given | None = None
) -> ProfileData:
    """With FLOPs and trained variables of our own finding where they are asked for and not told."""
    _, compat, flops, trained = preparation(options)
    logged = data.oplog is not None and bool(data.oplog.float_ops)
    if compat or not (flops or trained):
        return data
    return completed(data, float_ops=flops and not logged, trained=trained, given=given)


def prepared(data: ProfileData, options: Options) -> n.Nodes:
    """The nodes of a question, for all questions with the same `preparation`."""
    return n.build_nodes(with_what_is_asked(data, options), options.step, compat=options.compat)


def _with_values(view: CostTreeView, data: ProfileData) -> CostTreeView:
    """What the checkpoint holds for each displayed node, where that was asked for."""
    checkpoint = data.checkpoint
    if "tensor_value" not in view.select or checkpoint is None:
        return view
    values = {}
    for at, name in enumerate(view.rows.names):
        tensor = checkpoint.tensors.get(name)
        if tensor is not None:
            flat = checkpoint.values(tensor).reshape(-1).tolist()
            values[at] = TensorValue(flat, tensor.shape)
    return replace(view, rows=replace(view.rows, values=values))


def code_view(data: ProfileData, options: Options, nodes: n.Nodes | None = None) -> CostTreeView:
    """Needs an op log with code lines."""
    if data.oplog is None or not data.oplog.has_code:
        raise InputMissing("no code lines: the code view needs an op log that has them")
    nodes = nodes or prepared(data, options)
    found = code_tree(nodes, data.oplog, options)
    tree = found.tree
    counted = found.nodes_in
    passes = code_filter(tree, options)
    shown = display(tree, options, passes, skips_closed=True, nodes_in=counted)
    made = [found.made[at] for at in shown.at.tolist()]
    rows = replace(
        _rows(shown, nodes, "", options),
        devices=lambda at: tuple(sorted(nodes.devices.distinct(made[at]))),
        types=lambda at: tuple(nodes.all_types(made[at])),
    )
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
            tuple(sorted(nodes.devices.distinct(row.picked))),
            tuple(nodes.all_types(row.picked)) if "op_types" in options.select else (),
            _signatures(nodes, row.picked.tolist(), options),
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
        tree = with_started_total(tree, options)
        shown = display(tree, options, early_filter(tree, options, nodes.devices))
    else:
        shown = display(tree, options, late_filter(tree, options, nodes.devices))
    rows = _rows(shown, nodes, made_up, options)
    if early and made_up == GRAPH_OP and "num_hidden_ops" in options.select:
        rows = replace(rows, hidden=shown.hidden)
    if early and options.account_type_regexes == EVERYTHING:
        rows.accounted[ROOT_AT] = True
    return CostTreeView(rows, frozenset(options.select), style=style_of(options))


def style_of(options: Options) -> str:
    return "original" if options.compat else options.style


def _rows(shown: Shown, nodes: n.Nodes, made_up: str, options: Options) -> CostRows:
    """What is displayed; details of a node are looked up when a row is read."""
    tree = shown.tree
    row = tree.row[shown.at].tolist()

    def types(at: int) -> tuple[str, ...]:
        return tuple(nodes.all_types([row[at]])) if row[at] >= 0 else (made_up,)

    def inputs(at: int) -> tuple[tuple[int, InputShape], ...]:
        return tuple(nodes.input_shapes(row[at], compat=options.compat)) if row[at] >= 0 else ()

    def nothing(_: int) -> tuple[()]:
        return ()

    return CostRows(
        [tree.labels[at] for at in shown.at.tolist()],
        shown.parent,
        shown.indent,
        tree.accounted[shown.at],
        tree.own[shown.at],
        shown.total,
        lambda at: nodes.shapes.get(row[at], ()),
        lambda at: nodes.devices[row[at]] if row[at] >= 0 else "",
        types if "op_types" in options.select else nothing,
        inputs if "input_shapes" in options.select else nothing,
    )
