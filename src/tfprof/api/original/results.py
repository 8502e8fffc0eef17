"""What a profile returns: the fields of the original's messages, at any depth.

Rows of the view, read in place. Children are made when asked for, so 100,000 levels cost nothing;
what the view does not hold (input shapes, the nodes of an op type) is worked out on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tfprof.views import costs as c
from tfprof.views.costs import ROOT_NAME, Costs, CostTreeView, InputShape, OpCostView
from tfprof.wire.schema import message_class

_NO_COSTS: Costs = (0,) * (c.DEFINED + 1)
Inputs = Sequence[tuple[int, InputShape]]


@dataclass(frozen=True)
class NodeFacts:
    """One graph node inside a row of the op or code view."""

    name: str
    costs: Costs
    device: str


@dataclass(frozen=True)
class Details:
    """What the rows of a view do not hold, by row or by node, worked out when asked for."""

    nodes_of: Callable[[int], list[NodeFacts]] = field(default=lambda _: [])
    inputs_of: Callable[[str], Inputs] = field(default=lambda _: ())


class _Metrics:
    """The numbers both messages have, of a row's own and of everything below it."""

    __slots__ = ()

    name: str
    _own: Costs
    _total: Costs

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    parameters = property(lambda self: self._own[c.PARAMS])
    float_ops = property(lambda self: self._own[c.FLOAT_OPS])
    exec_micros = property(lambda self: self._own[c.MICROS])
    accelerator_exec_micros = property(lambda self: self._own[c.ACCELERATOR])
    cpu_exec_micros = property(lambda self: self._own[c.CPU])
    requested_bytes = property(lambda self: self._own[c.BYTES])
    peak_bytes = property(lambda self: self._own[c.PEAK])
    residual_bytes = property(lambda self: self._own[c.RESIDUAL])
    output_bytes = property(lambda self: self._own[c.OUTPUT])
    total_parameters = property(lambda self: self._total[c.PARAMS])
    total_float_ops = property(lambda self: self._total[c.FLOAT_OPS])
    total_exec_micros = property(lambda self: self._total[c.MICROS])
    total_accelerator_exec_micros = property(lambda self: self._total[c.ACCELERATOR])
    total_cpu_exec_micros = property(lambda self: self._total[c.CPU])
    total_requested_bytes = property(lambda self: self._total[c.BYTES])
    total_peak_bytes = property(lambda self: self._total[c.PEAK])
    total_residual_bytes = property(lambda self: self._total[c.RESIDUAL])
    total_output_bytes = property(lambda self: self._total[c.OUTPUT])


@dataclass(frozen=True)
class _Tree:
    """A view with, by row, the rows below it."""

    view: CostTreeView
    details: Details

    @cached_property
    def below(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.view.rows]
        for at, row in enumerate(self.view.rows):
            if row.parent >= 0:
                found[row.parent].append(at)
        return found


class GraphNodeProto(_Metrics):
    """A node of the scope or graph view; without arguments, one that is all zero."""

    __slots__ = ("_details", "_own", "_row", "_total", "_tree", "devices", "name")

    def __init__(self) -> None:
        self.name = ""
        self.devices: list[str] = []
        self._own = self._total = _NO_COSTS
        self._tree: _Tree | None = None
        self._row = 0
        self._details = Details()

    @classmethod
    def _of_row(cls, tree: _Tree, at: int) -> GraphNodeProto:
        node, row = cls(), tree.view.rows[at]
        node.name, node._own, node._total = row.name, row.own, row.total  # noqa: SLF001
        node.devices = [row.device] if row.device else []
        node._tree, node._row, node._details = tree, at, tree.details  # noqa: SLF001
        return node

    @classmethod
    def _of_node(cls, facts: NodeFacts, details: Details) -> GraphNodeProto:
        node = cls()
        node.name, node._own, node._total = facts.name, facts.costs, facts.costs  # noqa: SLF001
        node.devices = [facts.device] if facts.device else []
        node._details = details  # noqa: SLF001
        return node

    @property
    def children(self) -> list[GraphNodeProto]:
        tree = self._tree
        if tree is None:
            return []
        return [GraphNodeProto._of_row(tree, at) for at in tree.below[self._row]]

    @property
    def rows(self) -> list[GraphNodeProto]:
        """All that is shown, in print order, without nesting; the root comes first."""
        tree = self._tree
        if tree is None:
            return []
        return [GraphNodeProto._of_row(tree, at) for at in range(len(tree.view.rows))]

    @property
    def run_count(self) -> int:
        return self._own[c.RUNS]

    @property
    def total_run_count(self) -> int:
        return self._total[c.RUNS]

    @property
    def total_definition_count(self) -> int:
        return self._total[c.DEFINED]

    @property
    def device(self) -> str:
        """The early tool's field."""
        return self.devices[0] if self.devices else ""

    @property
    def input_shapes(self) -> dict[int, Any]:
        """TensorShapeProto messages by input number."""
        return {at: _shape_proto(shape) for at, shape in self._details.inputs_of(self.name)}

    @property
    def shapes(self) -> list[Any]:
        """Never filled, as in the original."""
        return []


class MultiGraphNodeProto(_Metrics):
    """A row of the op or code view: several graph nodes together."""

    __slots__ = ("_below", "_details", "_own", "_row", "_rows", "_total", "name")

    def __init__(self) -> None:
        self.name = ""
        self._own = self._total = _NO_COSTS
        self._row = -1
        self._details = Details()
        self._below: Callable[[int], list[MultiGraphNodeProto]] = lambda _: []
        self._rows: Callable[[], list[MultiGraphNodeProto]] = list

    @classmethod
    def _made(
        cls, name: str, own: Costs, total: Costs, row: int, details: Details
    ) -> MultiGraphNodeProto:
        node = cls()
        node.name, node._own, node._total = name, own, total  # noqa: SLF001
        node._row, node._details = row, details  # noqa: SLF001
        return node

    @property
    def children(self) -> list[MultiGraphNodeProto]:
        """Of the op view, the next row alone: the original nests the list as a chain."""
        return self._below(self._row)

    @property
    def rows(self) -> list[MultiGraphNodeProto]:
        """The rows as printed, without nesting."""
        return self._rows()

    @property
    def graph_nodes(self) -> list[GraphNodeProto]:
        found = self._details.nodes_of(self._row)
        return [GraphNodeProto._of_node(facts, self._details) for facts in found]  # noqa: SLF001


def _shape_proto(shape: InputShape) -> Any:  # noqa: ANN401
    proto = message_class("TensorShapeProto")()
    if shape is None:
        proto.unknown_rank = True
    for size in shape or ():
        proto.dim.add(size=size)
    return proto


def tree_result(view: CostTreeView, details: Details) -> GraphNodeProto:
    """The root of the scope or graph view."""
    return GraphNodeProto._of_row(_Tree(view, details), 0)  # noqa: SLF001


def code_result(view: CostTreeView, details: Details) -> MultiGraphNodeProto:
    tree = _Tree(view, details)

    def made(at: int) -> MultiGraphNodeProto:
        row = view.rows[at]
        node = MultiGraphNodeProto._made(row.name, row.own, row.total, at, details)  # noqa: SLF001
        node._below = lambda here: [made(child) for child in tree.below[here]]  # noqa: SLF001
        node._rows = lambda: [made(row) for row in range(len(view.rows))]  # noqa: SLF001
        return node

    return made(0)


def op_result(view: OpCostView, details: Details) -> MultiGraphNodeProto:
    """The root, below it the rows as a chain."""

    def made(at: int) -> MultiGraphNodeProto:
        row = view.rows[at]
        node = MultiGraphNodeProto._made(row.op, row.own, row.total, at, details)  # noqa: SLF001
        node._below, node._rows = below, rows  # noqa: SLF001
        return node

    def below(at: int) -> list[MultiGraphNodeProto]:
        return [made(at + 1)] if at + 1 < len(view.rows) else []

    def rows() -> list[MultiGraphNodeProto]:
        return [made(at) for at in range(len(view.rows))]

    root = MultiGraphNodeProto._made(ROOT_NAME, _NO_COSTS, view.root_total, -1, details)  # noqa: SLF001
    root._below, root._rows = below, rows  # noqa: SLF001
    return root
