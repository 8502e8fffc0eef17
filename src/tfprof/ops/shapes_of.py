"""The shape of every tensor, from what the graph states and what a run met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.model.graph import CONTROL, Graph, Node, Shape, as_shape
from tfprof.model.trace import Trace
from tfprof.ops.run_shapes import RunShapes

# a node and the number of its output
Tensor = tuple[int, int]

_SHAPED_BY_ATTRIBUTE = ("Placeholder", "PlaceholderWithDefault", "Variable", "VariableV2")
# ops whose first output is shaped like their first input
_KEEPING = """
Abs AddN AssignAdd AssignSub BiasAdd BiasAddV1 Cast Ceil CheckNumerics Cos Elu EluGrad Erf Erfc Exp
Expm1 Floor FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 Identity LeakyRelu LeakyReluGrad Log
Log1p LogicalNot LogSoftmax Neg OnesLike PreventGradient Reciprocal Relu Relu6 Relu6Grad ReluGrad
Rint Round Rsqrt RsqrtGrad Selu SeluGrad Sigmoid SigmoidGrad Sign Sin Softmax Softplus SoftplusGrad
Softsign SoftsignGrad Sqrt SqrtGrad Square StopGradient Tanh TanhGrad ZerosLike
"""
_KEEPS_SHAPE = frozenset(_KEEPING.split())


class TensorShapes:
    """Shapes by node and output. Nodes are decoded when somebody asks, and once."""

    def __init__(self, graph: Graph, trace: Trace | None) -> None:
        self._graph = graph
        self._run = None if trace is None else RunShapes(trace)
        self._stated: dict[int, list[Shape | None]] = {}
        self._known: dict[Tensor, Shape | None] = {}

    def op(self, row: int) -> GraphOp:
        return GraphOp(self, self._graph, row)

    def of(self, row: int, port: int) -> Shape | None:
        """What is known of output `port` of a node."""
        tensor = row, port
        if tensor not in self._known:
            self._settle(tensor)
        return self._known[tensor]

    def _settle(self, tensor: Tensor) -> None:
        """Finds the shape of a tensor, and of those shaped alike that it takes to find it.

        A run fuses ops and keeps the name of the last: of Conv2D, BiasAdd and Relu only Relu ran.
        """
        alike, waiting = {tensor}, [tensor]
        shape: Shape | None = None
        while waiting:
            member = waiting.pop()
            shape = completed(shape, self._told(member))
            if _is_whole(shape):
                break
            more = [other for other in self._shaped_alike(member) if other not in alike]
            alike.update(more)
            waiting += more
        self._known.update(dict.fromkeys(alike, shape))

    def _told(self, tensor: Tensor) -> Shape | None:
        """What graph and run say about just this tensor."""
        if tensor in self._known:
            return self._known[tensor]
        row, port = tensor
        if row not in self._stated:
            self._stated[row] = _stated(self._graph.node(row))
        shapes = self._stated[row]
        stated = shapes[port] if port < len(shapes) else None
        if self._run is None or _is_whole(stated):
            return stated
        return completed(stated, self._run.of(self._graph.names[row], port))

    def _shaped_alike(self, tensor: Tensor) -> Iterator[Tensor]:
        """The tensors one op away whose shape must be the same."""
        row, port = tensor
        edges, keeps = self._graph.edges, self._keeps_shape
        first = int(edges.offsets[row])
        if port == 0 and keeps[row] and first < edges.offsets[row + 1]:
            source, source_port = int(edges.node[first]), int(edges.port[first])
            if source >= 0 and source_port != CONTROL:
                yield source, source_port
        offsets, order = self._graph.readers
        for edge in order[offsets[row] : offsets[row + 1]].tolist():
            reader = int(edges.reader[edge])
            if keeps[reader] and edge == edges.offsets[reader] and edges.port[edge] == port:
                yield reader, 0

    @cached_property
    def _keeps_shape(self) -> npt.NDArray[np.bool_]:
        """By node."""
        ops = self._graph.ops
        return np.array([op in _KEEPS_SHAPE for op in ops.table] or [False], bool)[ops.codes]


@dataclass(frozen=True, slots=True)
class GraphOp:
    """A node of a graph as the rules see it (`OpShapes`)."""

    shapes: TensorShapes
    graph: Graph
    row: int

    @property
    def attributes(self) -> Mapping[str, Any]:
        return self.graph.attributes.of(self.row)

    @property
    def input_count(self) -> int:
        edges = self.graph.edges
        span = slice(int(edges.offsets[self.row]), int(edges.offsets[self.row + 1]))
        return int(np.count_nonzero(edges.port[span] != CONTROL))

    def input(self, index: int) -> Shape | None:
        # data inputs stand before control inputs
        edges = self.graph.edges
        edge = int(edges.offsets[self.row]) + index
        if edge >= edges.offsets[self.row + 1]:
            return None
        node, port = int(edges.node[edge]), int(edges.port[edge])
        return None if node < 0 or port == CONTROL else self.shapes.of(node, port)

    def output(self, index: int) -> Shape | None:
        return self.shapes.of(self.row, index)


def completed(stated: Shape | None, met: Shape | None) -> Shape | None:
    """`stated` with its unknown dimensions from `met`, unless the two contradict each other."""
    if stated is None or met is None:
        return met if stated is None else stated
    for reading in _readings(met):
        pairs = list(zip(stated, reading, strict=False))
        if len(reading) == len(stated) and all(a == b or None in (a, b) for a, b in pairs):
            return tuple(b if a is None else a for a, b in pairs)
    return stated


def _is_whole(shape: Shape | None) -> bool:
    return shape is not None and None not in shape


def _readings(met: Shape) -> Iterator[Shape]:
    """The shape, and with channels moved: a run may use the other layout than the graph states."""
    yield met
    if len(met) in (4, 5):
        batch, *inner = met
        yield batch, *inner[1:], inner[0]
        yield batch, inner[-1], *inner[:-1]


def _stated(node: Node) -> list[Shape | None]:
    """The outputs of a node as the graph has them: written down by TensorFlow, or declared."""
    attributes = node.attributes
    if "_output_shapes" in attributes:
        return [as_shape(shape) for shape in attributes["_output_shapes"].list.shape]
    if node.op == "Const" and "value" in attributes:
        return [as_shape(attributes["value"].tensor.tensor_shape)]
    if node.op in _SHAPED_BY_ATTRIBUTE and "shape" in attributes:
        shape = as_shape(attributes["shape"].shape)
        # old placeholders state an unknown shape as that of a scalar
        return [None if not shape and node.op.startswith("Placeholder") else shape]
    return []
