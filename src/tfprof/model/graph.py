"""A graph as columns: one row a node, edges as offsets, attributes decoded when asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import accumulate, repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.budget import MOST_DIMENSIONS
from tfprof.model.interned import Interned
from tfprof.model.names import Names
from tfprof.model.pickling import PicklesWithoutCaches
from tfprof.model.providers import Attributes, FunctionSource
from tfprof.wire.schema import Proto
from tfprof.wire.spans import Spans

Ints = npt.NDArray[np.int64]
Shape = tuple[int | None, ...]

MISSING = -1  # input_node: no node of that name in this graph
CONTROL = -1  # input_port: the edge only orders


@frozen_dataclass(slots=False)
class Edges(PicklesWithoutCaches):
    """Row `i` of the graph reads the edges `offsets[i]`..`offsets[i + 1]`, in input order.

    `port` is the output index of the node read. Inside a function, outputs also have a name
    (`split:output:1`), kept in `label` and empty elsewhere.
    """

    offsets: Ints
    node: npt.NDArray[np.int32]
    port: npt.NDArray[np.int32]
    label: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def reader(self) -> npt.NDArray[np.int32]:
        """The node that reads each edge."""
        counts = np.diff(self.offsets)
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


@frozen_dataclass(slots=False)
class Graph(PicklesWithoutCaches):
    """`cut` says so where there were more nodes, and the file of the graph ended before them."""

    names: Names
    ops: Interned
    devices: Interned
    edges: Edges
    attributes: Attributes
    functions: Mapping[str, Function] = field(default_factory=dict)
    producer: int = 0
    cut: str = ""

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def index(self) -> dict[str, int]:
        """Name to row; of nodes with one name the first counts, as in the original tool."""
        return _first_index(self.names.tolist())

    def node(self, row: int) -> Node:
        return Node(self, row)

    def find(self, name: str) -> Node | None:
        row = self.index.get(name)
        return None if row is None else Node(self, row)

    def of_type(self, *ops: str) -> Iterator[Node]:
        """The nodes of these op types, in graph order."""
        return (Node(self, row) for row in self.ops.where(*ops).tolist())

    @cached_property
    def readers(self) -> tuple[Ints, npt.NDArray[np.int64]]:
        """The data edges that leave each node: offsets by node, and edge numbers in that order."""
        data = np.flatnonzero((self.edges.port >= 0) & (self.edges.node >= 0))
        source = self.edges.node[data]
        counts = np.bincount(source, minlength=len(self))
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return offsets, data[np.argsort(source, kind="stable")]


@frozen_dataclass
class Node:
    """One row of a graph, to read it by name."""

    graph: Graph
    row: int

    @property
    def name(self) -> str:
        return self.graph.names[self.row]

    @property
    def op(self) -> str:
        return self.graph.ops[self.row]

    @property
    def device(self) -> str:
        return self.graph.devices[self.row]

    @property
    def attributes(self) -> Mapping[str, Proto]:
        return self.graph.attributes.of(self.row)

    @property
    def inputs(self) -> list[int]:
        """The rows this node reads data from; -1 where the graph has no such node."""
        return [int(self.graph.edges.node[e]) for e in self.data_edges()]

    def data_edges(self) -> list[int]:
        edges = self.graph.edges
        span = range(int(edges.offsets[self.row]), int(edges.offsets[self.row + 1]))
        return [e for e in span if edges.port[e] >= 0]

    def readers(self) -> list[tuple[Node, int]]:
        """Who reads this node's data, and as which input."""
        offsets, order = self.graph.readers
        readers, starts = self.graph.edges.reader, self.graph.edges.offsets
        found = []
        for edge in order[offsets.item(self.row) : offsets.item(self.row + 1)].tolist():
            reader: int = readers.item(edge)
            position = edge - starts.item(reader)
            found.append((Node(self.graph, reader), position))
        return found

    def shape_attribute(self, name: str = "shape") -> Shape | None:
        """A shape attribute; None if absent or of unknown rank."""
        return shape_in(self.attributes, name)

    def output_shapes(self) -> list[Shape | None]:
        """What `_output_shapes` says, an entry an output; empty if the graph has none."""
        value = self.attributes.get("_output_shapes")
        return [] if value is None else [as_shape(shape) for shape in value.list.shape]

    def type_attribute(self, name: str) -> int:
        """A DataType attribute; 0 if absent."""
        return type_in(self.attributes, name)


@frozen_dataclass
class Argument:
    name: str
    dtype: int


class FunctionParts(NamedTuple):
    arguments: Sequence[Argument]
    results: Mapping[str, str]
    body: Graph


@frozen_dataclass(slots=False)
class Function(PicklesWithoutCaches):
    """A function of the library. Its arguments are the first nodes of `body`, of type `_Arg`."""

    name: str
    load: FunctionSource

    @cached_property
    def _parts(self) -> FunctionParts:
        return self.load()

    @property
    def arguments(self) -> Sequence[Argument]:
        return self._parts.arguments

    @property
    def results(self) -> Mapping[str, str]:
        """Result name to the `node:output:index` it comes from."""
        return self._parts.results

    @property
    def body(self) -> Graph:
        return self._parts.body


def shape_in(attributes: Mapping[str, Proto], name: str = "shape") -> Shape | None:
    """A shape among the attributes of a node; None if absent or of unknown rank."""
    value = attributes.get(name)
    return None if value is None or not value.HasField("shape") else as_shape(value.shape)


def type_in(attributes: Mapping[str, Proto], name: str) -> int:
    """A DataType among the attributes of a node; 0 if absent."""
    value = attributes.get(name)
    return 0 if value is None else int(value.type)


def as_shape(proto: Proto) -> Shape | None:
    """A TensorShapeProto as a tuple: None for an unknown dimension, None for an unknown rank."""
    if proto.unknown_rank or len(proto.dim) > MOST_DIMENSIONS:
        return None
    return tuple(None if dim.size < 0 else int(dim.size) for dim in proto.dim)


def known_shape(proto: Proto) -> tuple[int, ...]:
    """The shape of something stored: every dimension is known."""
    return tuple(max(0, int(dim.size)) for dim in proto.dim)


def elements(shape: Shape | None) -> int | None:
    """How many elements; None if a dimension is unknown."""
    if shape is None:
        return None
    product = 1
    for dim in shape:
        if dim is None:
            return None
        product *= dim
    return product


def resolve_edges(names: list[str], inputs: list[str], counts: Iterable[int]) -> Edges:
    """Input strings as edges: `^x` only orders, `x:1` or (in a function) `x:out:1` reads data.

    By lists: a library may have many thousand small functions.
    """
    index = _first_index(names)
    node = list(map(index.get, inputs, repeat(MISSING)))
    port = [0] * len(inputs)
    label: dict[int, str] = {}
    for edge, text in enumerate(inputs):
        if node[edge] != MISSING:
            continue
        if text.startswith("^"):
            node[edge], port[edge] = index.get(text[1:], MISSING), CONTROL
            continue
        name, output, port[edge] = _taken_apart(text)
        node[edge] = index.get(name, MISSING)
        if output:
            label[edge] = output
    offsets = np.array(list(accumulate(counts, initial=0)), np.int64)
    return Edges(offsets, np.array(node, np.int32), np.array(port, np.int32), label)


def resolve_spans(names: Spans, inputs: Spans, counts: Ints) -> Edges:
    """The same for stretches of a file, in bulk; only odd inputs become strings."""
    port, bare = _bulk_ports(inputs)
    node = names.find(bare).astype(np.int32)
    odd = np.flatnonzero((node == MISSING) & (port != CONTROL))
    if len(odd):
        taken = [_taken_apart(text) for text in inputs.rows(odd).texts()]
        port[odd] = [number for _, _, number in taken]
        node[odd] = names.find(Spans.of([name.encode() for name, _, _ in taken]))
    return Edges(_offsets(counts), node, port)


def _bulk_ports(inputs: Spans) -> tuple[npt.NDArray[np.int32], Spans]:
    """Ports of `^x` and `x:1`, and where the bare names lie."""
    buffer = np.frombuffer(inputs.data, np.uint8)
    start, end = inputs.starts.copy(), inputs.ends.copy()
    port = np.zeros(len(start), np.int32)
    control = np.flatnonzero((start < end) & (buffer.take(start, mode="clip") == ord("^")))
    start[control] += 1
    digit = buffer.take(end - 1, mode="clip").astype(np.int32) - ord("0")
    colon = (buffer.take(end - 2, mode="clip") == ord(":")) & (end - start > 2)
    numbered = np.flatnonzero(colon & (digit >= 0) & (digit <= 9))
    port[numbered] = digit[numbered]
    end[numbered] -= 2
    port[control] = CONTROL
    return port, Spans(inputs.data, start, end)


def _taken_apart(text: str) -> tuple[str, str, int]:
    """Node, output name and output number of a data input."""
    name, _, rest = text.partition(":")
    output, _, number = rest.rpartition(":")
    return name, output, int(number) if number.isdecimal() and len(number) < 9 else 0


def _offsets(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _first_index(names: list[str]) -> dict[str, int]:
    return dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))
