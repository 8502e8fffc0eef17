"""Accounting into results: what the scope, graph, op and code questions come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from tfprof.analyses.accounting.ancestry import ROOT_AT
from tfprof.analyses.accounting.code import CodeTree, code_tree
from tfprof.analyses.accounting.cost_columns import costs_at
from tfprof.analyses.accounting.graph import GRAPH_OP, graph_tree
from tfprof.analyses.accounting.nodes import Nodes
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
from tfprof.errors import InputMissing
from tfprof.model import metrics
from tfprof.model.options import EVERYTHING, Options
from tfprof.model.profile import ProfileData
from tfprof.results.trees import (
    CostRows,
    Costs,
    CostTreeResult,
    InputShapes,
    InputSignature,
    OpCostRow,
    OpCostsResult,
    TensorValue,
)

Result = CostTreeResult | OpCostsResult


def _scope(data: ProfileData, nodes: Nodes, options: Options) -> CostTreeResult:
    return _tree(scope_tree(nodes, options), data, nodes, options, SCOPE_OP)


def _graph(data: ProfileData, nodes: Nodes, options: Options) -> CostTreeResult:
    tree = graph_tree(nodes, options)
    if _style(options) == "early":  # its graph is built from where it starts
        options = replace(options, start_name_regexes=EVERYTHING)
    return _tree(tree, data, nodes, options, GRAPH_OP)


def _code(data: ProfileData, nodes: Nodes, options: Options) -> CostTreeResult:
    code, shown = displayed_code(data, nodes, options)
    made = [code.made[at] for at in shown.at.tolist()]
    rows = replace(
        _rows(shown, nodes),
        devices=[tuple(sorted(nodes.devices.distinct(one))) for one in made]
        if "device" in options.select
        else (),
        types=[tuple(nodes.all_types(one)) for one in made] if "op_types" in options.select else (),
    )
    return CostTreeResult(rows, frozenset(options.select), _style(options), of_code=True)


def displayed_code(data: ProfileData, nodes: Nodes, options: Options) -> tuple[CodeTree, Shown]:
    """The tree of the code, and what of it is displayed; needs an op log with code lines."""
    if data.oplog is None or not data.oplog.has_code:
        raise InputMissing("no code lines: the code view needs an op log that has them")
    code = code_tree(nodes, data.oplog, options)
    passes = code_filter(code.tree, options)
    return code, display(code.tree, options, passes, skips_closed=True, nodes_in=code.nodes_in)


def op_costs(nodes: Nodes, options: Options) -> OpCostsResult:
    found = op_list(nodes, options)
    rows = tuple(
        OpCostRow(
            row.op,
            Costs(*row.own.tolist()).known(nodes.unknown),
            Costs(*row.own.tolist()),
            Costs(*row.total.tolist()),
            row.nodes,
            tuple(sorted(nodes.devices.distinct(row.picked))),
            tuple(nodes.all_types(row.picked)) if "op_types" in options.select else (),
            _signatures(nodes, row.picked.tolist(), options),
        )
        for row in found.rows
    )
    total = Costs(*found.root_total.tolist())
    select, style = frozenset(options.select), _style(options)
    return OpCostsResult(
        rows,
        total.known(nodes.unknown),
        total,
        select,
        style,
        empty_graph=not len(nodes),
        unknown=nodes.unknown,
    )


TREES: Mapping[str, Callable[[ProfileData, Nodes, Options], CostTreeResult]] = {
    "scope": _scope,
    "graph": _graph,
    "code": _code,
}


def _style(options: Options) -> str:
    return "original" if options.compat else options.style


def _signatures(nodes: Nodes, picked: list[int], options: Options) -> tuple[InputSignature, ...]:
    """The distinct input shapes of a type's nodes, most runs first."""
    if "input_shapes" not in options.select:
        return ()
    groups: dict[InputShapes, list[int]] = {}
    for row in dict.fromkeys(picked):
        groups.setdefault(_inputs(nodes, row, options), []).append(row)
    return tuple(
        InputSignature(
            shapes,
            int(nodes.costs[rows, metrics.RUNS].sum()),
            len(rows),
            int(nodes.costs[rows, metrics.MICROS].sum()),
        )
        for shapes, rows in groups.items()
    )


def _tree(
    tree: CostTree, data: ProfileData, nodes: Nodes, options: Options, made_up: str
) -> CostTreeResult:
    """`made_up` is the type of rows that are no node."""
    early = _style(options) == "early"
    if early:
        tree = with_started_total(tree, options)
        shown = display(tree, options, early_filter(tree, options, nodes.devices))
    else:
        shown = display(tree, options, late_filter(tree, options, nodes.devices))
    rows = _with_details(_rows(shown, nodes), shown, nodes, options, made_up)
    if early and made_up == GRAPH_OP and "num_hidden_ops" in options.select:
        rows = replace(rows, hidden=shown.hidden)
    if early and options.account_type_regexes == EVERYTHING:
        rows.accounted[ROOT_AT] = True
    if "tensor_value" in options.select:
        rows = replace(rows, values=_values(data, rows))
    return CostTreeResult(rows, frozenset(options.select), _style(options))


def _rows(shown: Shown, nodes: Nodes) -> CostRows:
    tree = shown.tree
    return CostRows(
        [*map(tree.labels.__getitem__, shown.at.tolist())],
        shown.parent,
        shown.indent,
        tree.accounted[shown.at],
        costs_at(tree.own, shown.at),
        shown.total,
        unknown=nodes.unknown,
    )


def _with_details(
    rows: CostRows, shown: Shown, nodes: Nodes, options: Options, made_up: str
) -> CostRows:
    """With what is known of the nodes behind the rows, as far as it is asked for."""
    row, select = shown.tree.row[shown.at], options.select
    real = row >= 0
    device = np.zeros(len(row), np.int32)  # the first of the table is none
    device[real] = nodes.devices.codes[row[real]]
    every = row.tolist()
    shapes = enumerate(map(nodes.shapes.get, every)) if "params" in select else ()
    return replace(
        rows,
        device=[*map(nodes.devices.table.__getitem__, device.tolist())],
        shapes={at: shape for at, shape in shapes if shape},
        types=[nodes.types_of(one) if one >= 0 else (made_up,) for one in every]
        if "op_types" in select
        else (),
        inputs=[_inputs(nodes, one, options) if one >= 0 else () for one in every]
        if "input_shapes" in select
        else (),
    )


def _inputs(nodes: Nodes, row: int, options: Options) -> InputShapes:
    return tuple(nodes.input_shapes(row, compat=options.compat))


def _values(data: ProfileData, rows: CostRows) -> dict[int, TensorValue]:
    """What the checkpoint holds for each displayed node."""
    if data.checkpoint is None:
        return {}
    stored = ((at, data.checkpoint.tensors.get(name)) for at, name in enumerate(rows.names))
    return {
        at: TensorValue(data.checkpoint.values(tensor).reshape(-1).tolist(), tensor.shape)
        for at, tensor in stored
        if tensor is not None
    }
