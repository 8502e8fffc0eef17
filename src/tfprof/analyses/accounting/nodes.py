"""The nodes of a profile as the original tool counts them, one row each, in byte order of names.

A graph's nodes, and those that only a run knows. All costs are columns of one matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import compress
from operator import ne
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tfprof.analyses.accounting.cost_columns import no_costs
from tfprof.analyses.accounting.known import VARIABLE_TYPE, held_variables, unknown_metrics
from tfprof.analyses.accounting.name_scopes import with_scopes
from tfprof.analyses.accounting.node_runs import NodeRuns, Placement
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.budget import MOST_ELEMENTS
from tfprof.model.graph import Graph
from tfprof.model.interned import Interned
from tfprof.model.metrics import (
    DEFINED,
    FLOAT_OPS,
    LOST_FLOAT_OPS,
    LOST_PARAMS,
    PARAMS,
    RUNS,
)
from tfprof.model.names import Names
from tfprof.model.oplog import TRAINABLE, OpLog
from tfprof.model.profile import ProfileData
from tfprof.results.trees import ROOT_NAME
from tfprof.wire.schema import Proto

if TYPE_CHECKING:
    from tfprof.analyses.graph.variables import Variable

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

CHECKPOINT_TYPE = "_checkpoint_variables"


@frozen_dataclass(slots=False)
class Nodes:
    """`types` holds, by row, what a node counts as besides its op.

    `graph_row` leads from a row to the graph's node, -1 where only the run knows it, and
    `row_of_graph` back. `unknown` are metrics that nothing tells, with the reason: zeros in the
    columns; the original has no word for it.
    """

    names: list[str]
    ops: Interned
    shapes: dict[int, tuple[int, ...]]
    types: dict[int, set[str]]
    devices: Interned
    costs: Ints
    steps: tuple[int, ...]
    graph: Graph | None
    graph_row: Ints
    row_of_graph: Ints
    compat: bool = False
    unknown: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def scopes(self) -> tuple[list[str], Ints, Ints]:
        """The root, nodes and the scopes they stand in; the node and the parent of each."""
        return with_scopes(self.names, ROOT_NAME)

    @cached_property
    def spanning_trees(self) -> dict[bool, tuple[Ints, Ints]]:
        """Those of the graph view that were asked for, by whether links are in order of names."""
        return {}

    @cached_property
    def row_of(self) -> Mapping[str, int]:
        return dict(zip(self.names, range(len(self.names)), strict=True))

    def input_shapes(self, row: int, *, compat: bool) -> list[tuple[int, tuple[int, ...] | None]]:
        """Input number and shape; the original always takes the source's first output."""
        at = int(self.graph_row[row])
        if self.graph is None or at < 0:
            return []
        edges = self.graph.edges
        span = range(int(edges.offsets[at]), int(edges.offsets[at + 1]))
        return [
            (
                place,
                self._output_shape(int(edges.node[edge]), 0 if compat else int(edges.port[edge])),
            )
            for place, edge in enumerate(span)
        ]

    def _output_shape(self, source: int, port: int) -> tuple[int, ...] | None:
        if source < 0 or self.graph is None or port < 0:
            return None
        shapes = self._output_shapes.get(source)
        if shapes is None:
            shapes = self._output_shapes[source] = self.graph.node(source).output_shapes()
        shape = shapes[port] if port < len(shapes) else None
        return None if shape is None else tuple(-1 if d is None else d for d in shape) or (1,)

    @cached_property
    def _output_shapes(self) -> dict[int, list[tuple[int | None, ...] | None]]:
        return {}

    def all_types(self, rows: Sequence[int] | Ints) -> list[str]:
        """What some nodes count as, all together: ops, devices, and what an op log calls them."""
        at = np.asarray(rows, np.int64)
        found = self.ops.distinct(at)
        found |= self.devices.distinct(at) - {""}  # a device is a type, too
        for row in self.types.keys() & set(at.tolist()) if self.types else ():
            found.update(self.types[row])
        return sorted(found)

    def types_of(self, row: int) -> tuple[str, ...]:
        """The same of one node."""
        device = {self.devices[row]} - {""}
        return tuple(sorted({self.ops[row], *device, *self.types.get(row, ())}))


def build_nodes(data: ProfileData, step: int, *, compat: bool) -> Nodes:
    """Every node with its costs at `step`; -1 averages over the steps a node ran in."""
    # all hosts as one: the original knows no others
    graph, trace = data.graph, data.trace
    named = graph.names if graph is not None else Names([])
    in_graph = named.tolist()
    held = {} if compat else {one.name: one for one in held_variables(data)}
    runs = NodeRuns.of(trace, named) if trace is not None else None
    others = [*(runs.outside if runs is not None else ()), *held]
    names, row = _in_order([*in_graph, *others])
    row_of_graph = row[: len(in_graph)]
    graph_row = np.full(len(names), -1, np.int64)
    # of nodes with one name the first is written last
    graph_row[row_of_graph[::-1]] = np.arange(len(in_graph) - 1, -1, -1)
    costs = no_costs(len(names))
    costs[:, DEFINED] = 1
    devices, ran = Placement.nowhere(len(names)), np.zeros(len(names), bool)
    if runs is not None:
        devices, ran = runs.fill(costs, others, row, step)
    if graph is not None and not compat:
        devices = devices.else_by(graph, graph_row)
    nodes = Nodes(
        names,
        _ops(graph, names, graph_row, _ran_as(runs, held.keys() - set(in_graph) if held else ())),
        _shapes(graph, row_of_graph) if graph is not None else {},
        {},
        devices.column(),
        costs,
        trace.steps if trace is not None else (),
        graph,
        graph_row,
        row_of_graph,
        compat,
        {} if compat else unknown_metrics(data),
    )
    _fill_params(nodes, dict(zip(row[len(row) - len(held) :].tolist(), held.values(), strict=True)))
    _fill_float_ops(nodes, data.oplog, ran)
    _fill_types(nodes, data)
    return nodes


def _in_order(met: list[str]) -> tuple[list[str], Ints]:
    """The different names in byte order, and which of them each is."""
    order = sorted(range(len(met)), key=met.__getitem__)
    names = list(map(met.__getitem__, order))
    is_first = np.ones(len(met), bool)
    is_first[1:] = np.fromiter(map(ne, names[1:], names), bool, max(0, len(met) - 1))
    row = np.empty(len(met), np.int64)
    row[order] = np.cumsum(is_first) - 1
    return names if is_first.all() else list(compress(names, is_first.tolist())), row


def _ran_as(runs: NodeRuns | None, variables: Iterable[str]) -> dict[str, str]:
    """The op of each node, where a run tells it; a variable of a Keras file is made by its own."""
    return {**dict.fromkeys(variables, VARIABLE_TYPE), **(runs.types() if runs is not None else {})}


def _ops(
    graph: Graph | None, names: list[str], graph_row: Ints, ran: Mapping[str, str]
) -> Interned:
    """The op of each row, as it `ran` if a capture says so; what has no type is its own op."""
    table = list(graph.ops.table) if graph is not None else []
    codes = np.zeros(len(names), np.int32)
    known = graph_row >= 0
    if graph is not None:
        codes[known] = graph.ops.codes[graph_row[known]]
    index = {op: code for code, op in enumerate(table)}
    for row, name in enumerate(names) if ran else ():
        if name in ran:
            codes[row] = index.setdefault(ran[name], len(index))
            known[row] = True
    for row in np.flatnonzero(~known).tolist():
        codes[row] = index.setdefault(names[row], len(index))
    return Interned(codes, list(index))


def _shapes(graph: Graph, row_of_graph: Ints) -> dict[int, tuple[int, ...]]:
    """The shape vector of every node that has an attribute called `shape`; a scalar is (1,)."""
    column = graph.attributes.column("shape")
    rows = row_of_graph[list(column)].tolist() if column else []
    # nodes whose values are alike share one message
    ids = [*map(id, column.values())]
    different = dict(zip(ids, column.values(), strict=True))
    vectors = {one: _vector(value) for one, value in different.items()}
    told = zip(reversed(rows), map(vectors.__getitem__, reversed(ids)), strict=True)
    # of nodes with one name the first is told last
    return {row: dims for row, dims in told if dims is not None}


def _vector(value: Proto) -> tuple[int, ...] | None:
    if not value.HasField("shape") or value.shape.unknown_rank:
        return None
    return tuple(dim.size if dim.size >= 0 else -1 for dim in value.shape.dim) or (1,)


def _fill_params(nodes: Nodes, held: Mapping[int, Variable]) -> None:
    """`held` are variables that no node says the shape of, by row."""
    shapes = nodes.shapes
    lost = [row for row, one in held.items() if not _is_counted(one.elements)]
    for row, one in held.items():
        if one.shape is not None:
            shapes[row] = tuple(-1 if n is None else n for n in one.shape) or (1,)
        nodes.types.setdefault(row, set()).add(VARIABLE_TYPE)
    for row in lost:
        shapes.pop(row, None)
    products = {shape: _product(shape) for shape in set(shapes.values())}
    nodes.costs[list(shapes), PARAMS] = [*map(products.__getitem__, shapes.values())]
    nodes.costs[lost, LOST_PARAMS] = 1


def _product(dims: Sequence[int]) -> int:
    if any(dim < 0 for dim in dims):
        return 0
    product = 1
    for dim in dims:
        product *= dim
    return _wrapped(product)


def _is_counted(elements: int | None) -> bool:
    """TensorFlow can hold no variable of more."""
    return elements is not None and elements <= MOST_ELEMENTS


def _wrapped(number: int) -> int:
    """64 bits, as in the original: larger numbers wrap."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def _fill_float_ops(nodes: Nodes, log: OpLog | None, ran: Mask) -> None:
    """What 64 bits do not hold is not known, all counts together; only the original wraps."""
    if log is None:
        return
    costs = nodes.costs
    for name in log.uncounted or ():
        if name in nodes.row_of:
            costs[nodes.row_of[name], LOST_FLOAT_OPS] = 1
    total = 0
    for name, logged in log.float_ops.items():
        row = nodes.row_of.get(name)
        if row is None:
            continue
        count = logged * int(costs[row, RUNS]) if ran[row] else logged
        if not nodes.compat and total + abs(count) > MOST_ELEMENTS:
            costs[row, LOST_FLOAT_OPS] = 1
            continue
        total += abs(count)
        costs[row, FLOAT_OPS] = _wrapped(count)


def _fill_types(nodes: Nodes, data: ProfileData) -> None:
    found = nodes.types
    for name, types in data.oplog.types.items() if data.oplog is not None else ():
        if name in nodes.row_of:
            found.setdefault(nodes.row_of[name], set()).update(types)
    if not nodes.compat:
        for name, variable in data.declared.variables.items():
            if variable.trainable and name in nodes.row_of:
                found.setdefault(nodes.row_of[name], set()).add(TRAINABLE)
    if data.checkpoint is not None:
        for key in data.checkpoint.tensors:
            if key in nodes.row_of:
                found.setdefault(nodes.row_of[key], set()).add(CHECKPOINT_TYPE)
