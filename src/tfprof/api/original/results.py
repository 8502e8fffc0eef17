"""What a profile returns: the fields of the original's messages, at any depth.

Rows of the view, read in place. Children are made when asked for, so 100,000 levels cost nothing;
what the view does not hold (input shapes, the nodes of an op type) is worked out on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from tfprof.api.original.encoded import encoded
from tfprof.views import costs as c
from tfprof.views.costs import ROOT_NAME, Costs, CostTreeView, InputShape, OpCostView
from tfprof.wire.schema import message_class

_NO_COSTS: Costs = (0,) * (c.DEFINED + 1)
_ABOVE_THE_LIST = -1


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a view, or a graph node inside one."""

    name: str = ""
    own: Costs = _NO_COSTS
    total: Costs = _NO_COSTS
    device: str = ""
    at: int = _ABOVE_THE_LIST


@dataclass(frozen=True, slots=True)
class Details:
    """What the rows of a view do not hold, worked out when asked for."""

    nodes_of: Callable[[int], list[Row]] = lambda _: []
    inputs_of: Callable[[str], Sequence[tuple[int, InputShape]]] = lambda _: ()


@dataclass(frozen=True, slots=True)
class Source:
    """A view as rows by position, and which of them stand below which."""

    row: Callable[[int], Row] = lambda _: Row()
    below: Callable[[int], Sequence[int]] = lambda _: ()
    count: int = 0
    details: Details = field(default_factory=Details)


@dataclass(frozen=True, slots=True)
class TensorValue:
    """The value of a checkpoint's tensor: empty, since only the command line reads one."""

    dtype: int = 0
    value_double: tuple[float, ...] = ()
    value_int64: tuple[int, ...] = ()
    value_str: tuple[bytes, ...] = ()


def _own(column: int) -> Any:  # noqa: ANN401
    return property(lambda self: self._row.own[column])


def _total(column: int) -> Any:  # noqa: ANN401
    return property(lambda self: self._row.total[column])


class _Node:
    """The numbers both messages have: a row's own, and those of everything below it too."""

    __slots__ = ("_row", "_source")

    def __init__(self, row: Row | None = None, source: Source | None = None) -> None:
        self._row = row or Row()
        self._source = source or Source()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @property
    def name(self) -> str:
        return self._row.name

    @property
    def children(self) -> list[Self]:
        """The rows below; of the op view the next one alone, as the original nests them."""
        return self._made(self._source.below(self._row.at))

    @property
    def rows(self) -> list[Self]:
        """All rows as printed, without nesting."""
        return self._made(range(self._source.count))

    def SerializeToString(self) -> bytes:  # noqa: N802  (a message's name for it)
        """The bytes of the original's message, whole; protobuf itself reads 100 levels of them."""
        return encoded(self, type(self).__name__)

    def _made(self, places: Sequence[int]) -> list[Self]:
        return [type(self)(self._source.row(at), self._source) for at in places]

    parameters: int = _own(c.PARAMS)
    float_ops: int = _own(c.FLOAT_OPS)
    exec_micros: int = _own(c.MICROS)
    accelerator_exec_micros: int = _own(c.ACCELERATOR)
    cpu_exec_micros: int = _own(c.CPU)
    requested_bytes: int = _own(c.BYTES)
    peak_bytes: int = _own(c.PEAK)
    residual_bytes: int = _own(c.RESIDUAL)
    output_bytes: int = _own(c.OUTPUT)
    total_parameters: int = _total(c.PARAMS)
    total_float_ops: int = _total(c.FLOAT_OPS)
    total_exec_micros: int = _total(c.MICROS)
    total_accelerator_exec_micros: int = _total(c.ACCELERATOR)
    total_cpu_exec_micros: int = _total(c.CPU)
    total_requested_bytes: int = _total(c.BYTES)
    total_peak_bytes: int = _total(c.PEAK)
    total_residual_bytes: int = _total(c.RESIDUAL)
    total_output_bytes: int = _total(c.OUTPUT)


class GraphNodeProto(_Node):
    """A node of the scope or graph view, or one of those a MultiGraphNodeProto is made of."""

    __slots__ = ()

    run_count: int = _own(c.RUNS)
    total_run_count: int = _total(c.RUNS)
    total_definition_count: int = _total(c.DEFINED)

    @property
    def device(self) -> str:
        """The early tool's field."""
        return self._row.device

    @property
    def devices(self) -> list[str]:
        return [self._row.device] if self._row.device else []

    @property
    def input_shapes(self) -> dict[int, Any]:
        """TensorShapeProto messages by input number."""
        found = self._source.details.inputs_of(self.name)
        return {at: _shape_proto(shape) for at, shape in found}

    @property
    def shapes(self) -> list[Any]:
        """Never filled, as in the original."""
        return []

    @property
    def tensor_value(self) -> TensorValue:
        return TensorValue()


class MultiGraphNodeProto(_Node):
    """A row of the op or code view: several graph nodes together."""

    __slots__ = ()

    @property
    def graph_nodes(self) -> list[GraphNodeProto]:
        details = self._source.details
        found = details.nodes_of(self._row.at) if self._row.at >= 0 else []
        return [GraphNodeProto(row, Source(details=details)) for row in found]


def _shape_proto(shape: InputShape) -> Any:  # noqa: ANN401
    proto = message_class("TensorShapeProto")()
    if shape is None:
        proto.unknown_rank = True
    for size in shape or ():
        proto.dim.add(size=size)
    return proto


def tree_result(view: CostTreeView, details: Details) -> GraphNodeProto:
    """The root of the scope or graph view."""
    source = _tree_source(view, details)
    return GraphNodeProto(source.row(0), source)


def code_result(view: CostTreeView, details: Details) -> MultiGraphNodeProto:
    source = _tree_source(view, details)
    return MultiGraphNodeProto(source.row(0), source)


def _tree_source(view: CostTreeView, details: Details) -> Source:
    below: list[list[int]] = [[] for _ in range(len(view.rows))]
    for at, parent in enumerate(view.rows.parent.tolist()):
        if parent >= 0:
            below[parent].append(at)

    def as_row(at: int) -> Row:
        row = view.rows[at]
        return Row(row.name, row.own, row.total, row.device, at)

    # a node inside a row has no place in the tree
    return Source(as_row, lambda at: below[at] if at >= 0 else (), len(below), details)


def op_result(view: OpCostView, details: Details) -> MultiGraphNodeProto:
    """The root, which is not printed, and below it the rows as a chain."""

    def as_row(at: int) -> Row:
        row = view.rows[at]
        return Row(row.op, row.own, row.total, at=at)

    count = len(view.rows)
    source = Source(as_row, lambda at: range(at + 1, min(at + 2, count)), count, details)
    return MultiGraphNodeProto(Row(ROOT_NAME, total=view.root_total), source)
