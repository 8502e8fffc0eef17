"""What a profile returns: the fields of the original's messages, at any depth.

Rows of the view, read in place. Children are made when asked for, so 100,000 levels cost nothing;
what the view does not hold (input shapes, the nodes of an op type) is worked out on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

from tfprof.compat.encoded import encoded
from tfprof.compat.handed import Proto
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import metrics
from tfprof.printable import printable
from tfprof.reports.trees.original import Details
from tfprof.results.trees import ROOT_NAME, CostRows, Costs, CostTreeResult, OpCostsResult, Shape
from tfprof.wire.schema import message_class

_NO_COSTS = Costs()
_ABOVE_THE_LIST = -1


@frozen_dataclass
class ViewRow:
    """A row of a view, or a graph node inside one."""

    name: str = ""
    own: Costs = _NO_COSTS
    total: Costs = _NO_COSTS
    device: str = ""
    at: int = _ABOVE_THE_LIST


@frozen_dataclass
class ViewSource:
    """A view as rows by position, and which of them stand below which.

    `details` are what the rows do not hold, worked out when asked for.
    """

    row: Callable[[int], ViewRow] = lambda _: ViewRow()
    below: Callable[[int], Sequence[int]] = lambda _: ()
    count: int = 0
    details: Details | None = None


@frozen_dataclass
class NoTensorValue:
    """The value of a checkpoint's tensor: empty, since only the command line reads one."""

    dtype: int = 0
    value_double: tuple[float, ...] = ()
    value_int64: tuple[int, ...] = ()
    value_str: tuple[bytes, ...] = ()


class _Own:
    """A number of the row itself."""

    def __init__(self, column: int) -> None:
        self.column = column

    def __get__(self, node: ViewNode, _: type[ViewNode]) -> int:
        return node._row.own[self.column]  # noqa: SLF001  (a field of that class)


class _Total(_Own):
    """A number of the row and everything below it."""

    def __get__(self, node: ViewNode, _: type[ViewNode]) -> int:
        return node._row.total[self.column]  # noqa: SLF001


class ViewNode:
    """The numbers both messages have: a row's own, and those of everything below it too."""

    __slots__ = ("_row", "_source")

    def __init__(self, row: ViewRow | None = None, source: ViewSource | None = None) -> None:
        self._row = row or ViewRow()
        self._source = source or ViewSource()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {printable(self.name)}>"

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

    parameters = _Own(metrics.PARAMS)
    float_ops = _Own(metrics.FLOAT_OPS)
    exec_micros = _Own(metrics.MICROS)
    accelerator_exec_micros = _Own(metrics.ACCELERATOR)
    cpu_exec_micros = _Own(metrics.CPU)
    requested_bytes = _Own(metrics.BYTES)
    peak_bytes = _Own(metrics.PEAK)
    residual_bytes = _Own(metrics.RESIDUAL)
    output_bytes = _Own(metrics.OUTPUT)
    total_parameters = _Total(metrics.PARAMS)
    total_float_ops = _Total(metrics.FLOAT_OPS)
    total_exec_micros = _Total(metrics.MICROS)
    total_accelerator_exec_micros = _Total(metrics.ACCELERATOR)
    total_cpu_exec_micros = _Total(metrics.CPU)
    total_requested_bytes = _Total(metrics.BYTES)
    total_peak_bytes = _Total(metrics.PEAK)
    total_residual_bytes = _Total(metrics.RESIDUAL)
    total_output_bytes = _Total(metrics.OUTPUT)


class GraphNodeProto(ViewNode):
    """A node of the scope or graph view, or one of those a MultiGraphNodeProto is made of."""

    __slots__ = ()

    run_count = _Own(metrics.RUNS)
    total_run_count = _Total(metrics.RUNS)
    total_definition_count = _Total(metrics.DEFINED)

    @property
    def device(self) -> str:
        """The early tool's field."""
        return self._row.device

    @property
    def devices(self) -> list[str]:
        return [self._row.device] if self._row.device else []

    @property
    def input_shapes(self) -> dict[int, Proto]:
        """TensorShapeProto messages by input number."""
        details = self._source.details
        found = details.inputs_of(self.name) if details is not None else ()
        return {at: _shape_proto(shape) for at, shape in found}

    @property
    def shapes(self) -> list[Proto]:
        """Never filled, as in the original."""
        return []

    @property
    def tensor_value(self) -> NoTensorValue:
        return NoTensorValue()


class MultiGraphNodeProto(ViewNode):
    """A row of the op or code view: several graph nodes together."""

    __slots__ = ()

    @property
    def graph_nodes(self) -> list[GraphNodeProto]:
        details = self._source.details
        if details is None or self._row.at < 0:
            return []
        rows = (
            ViewRow(name, costs, costs, device)
            for name, costs, device in details.nodes_of(self._row.at)
        )
        return [GraphNodeProto(row, ViewSource(details=details)) for row in rows]


def _shape_proto(shape: Shape | None) -> Proto:
    proto = message_class("TensorShapeProto")()
    if shape is None:
        proto.unknown_rank = True
    for size in shape or ():
        proto.dim.add(size=size)
    return proto


def tree_result(result: CostTreeResult, details: Details) -> GraphNodeProto:
    """The root of the scope or graph view."""
    source = _tree_source(result.nodes, details)
    return GraphNodeProto(source.row(0), source)


def code_result(result: CostTreeResult, details: Details | None = None) -> MultiGraphNodeProto:
    source = _tree_source(result.nodes, details)
    return MultiGraphNodeProto(source.row(0), source)


def _tree_source(rows: CostRows, details: Details | None) -> ViewSource:
    below: list[list[int]] = [[] for _ in range(len(rows))]
    for at, parent in enumerate(rows.parent.tolist()):
        if parent >= 0:
            below[parent].append(at)

    def as_row(at: int) -> ViewRow:
        row = rows[at]
        return ViewRow(row.name, row.own, row.total, row.device, at)

    # a node inside a row has no place in the tree
    return ViewSource(as_row, lambda at: below[at] if at >= 0 else (), len(below), details)


def op_result(result: OpCostsResult, details: Details) -> MultiGraphNodeProto:
    """The root, which is not printed, and below it the rows as a chain."""

    def as_row(at: int) -> ViewRow:
        row = result.rows[at]
        return ViewRow(row.op, row.own, row.total, at=at)

    count = len(result.rows)
    source = ViewSource(as_row, lambda at: range(at + 1, min(at + 2, count)), count, details)
    return MultiGraphNodeProto(ViewRow(ROOT_NAME, total=result.total), source)
