"""What a node depends on, and what a graph calls. Iterative: chains of 100,000 nodes are real."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import Function, Graph
from tfprof.model.profile import ProfileData, Signature
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

# an edge that leads nowhere
_NOBODY = -1
# from so many rows on it is quicker to look at them together
_MANY = 200

# ops whose attributes name a function
CALLERS = frozenset({
    "PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall", "While", "StatelessWhile",
    "If", "StatelessIf", "Case", "StatelessCase", "For", "SymbolicGradient", "RemoteCall",
    "XlaLaunch",
})  # fmt: skip
DEFAULT_SIGNATURE = "serving_default"


def ancestors(graph: Graph, rows: Iterable[int], *, control: bool = True) -> Mask:
    """The nodes that `rows` depend on, themselves included."""
    edges = graph.edges
    source = edges.node if control else np.where(edges.port >= 0, edges.node, np.int32(_NOBODY))
    marked = np.zeros(len(graph), bool)
    marked[[row for row in rows if row >= 0]] = True
    return spread(marked, edges.offsets[:-1], edges.offsets[1:], source)


def spread(marked: Mask, begin: Ints, end: Ints, others: Rows) -> Mask:
    """The marked rows and all that they lead to: each to `others`, from its begin to its end.

    As long as there are many rows, they go on together; a long chain goes on node by node.
    """
    seen = marked.copy()
    rows = np.flatnonzero(marked)
    while len(rows) > _MANY:
        count = end[rows] - begin[rows]
        first = begin[rows] - (np.cumsum(count) - count)
        met = others[np.repeat(first, count) + np.arange(int(count.sum()))]
        met = met[met >= 0]
        rows = distinct(met[~seen[met]].astype(np.int64))
        seen[rows] = True
    return _spread_one_by_one(seen, rows.tolist(), begin, end, others) if len(rows) else seen


def _spread_one_by_one(found: Mask, stack: list[int], begin: Ints, end: Ints, others: Rows) -> Mask:
    begins, ends, listed = begin.tolist(), end.tolist(), others.tolist()
    seen = bytearray(found.tobytes())
    while stack:
        row = stack.pop()
        for one in listed[begins[row] : ends[row]]:
            if one >= 0 and not seen[one]:
                seen[one] = 1
                stack.append(one)
    return np.frombuffer(seen, np.uint8).astype(bool)


def called_functions(graph: Graph, rows: Iterable[int]) -> dict[str, Function]:
    """The library functions that these nodes call, directly or through others."""
    found: dict[str, Function] = {}
    stack = [(graph, list(rows))]
    while stack:
        body, nodes = stack.pop()
        for name in _names_called(body, nodes):
            function = graph.functions.get(name)
            if function is not None and name not in found:
                found[name] = function
                stack.append((function.body, list(range(len(function.body)))))
    return found


def _names_called(graph: Graph, rows: list[int]) -> Iterator[str]:
    functions = graph.functions
    if not any(op in CALLERS or op in functions for op in graph.ops.table):
        return
    calls = [code for code, op in enumerate(graph.ops.table) if op in CALLERS]
    by_name = {code for code, op in enumerate(graph.ops.table) if op in functions}
    codes = graph.ops.codes
    wanted = np.array(rows, np.int64)
    for row in wanted[np.isin(codes[wanted], calls)].tolist():
        for _, value in sorted(graph.attributes.of(row).items()):
            if value.HasField("func"):
                yield value.func.name
            for function in value.list.func if value.HasField("list") else ():
                yield function.name
    # early functions are called by using their name as the op
    present = set(codes[wanted].tolist()) if by_name else set()
    yield from (graph.ops.table[code] for code in sorted(by_name & present))


@frozen_dataclass
class Extent:
    """The part of a graph that makes up the model."""

    rows: npt.NDArray[np.int64]
    functions: dict[str, Function]
    signature: Signature | None

    @property
    def function_nodes(self) -> int:
        return sum(len(f.body) - len(f.arguments) for f in self.functions.values())


def extent(data: ProfileData, signature: str | None = None) -> Extent:
    """With signatures, what the chosen one computes; else the whole graph."""
    graph = data.graph
    if graph is None:
        return Extent(np.zeros(0, np.int64), {}, None)
    chosen = choose_signature(data, signature)
    rows = np.arange(len(graph))
    if chosen is not None:
        outputs = [graph.index.get(spec.tensor.partition(":")[0], -1) for spec in chosen.outputs]
        reached = np.flatnonzero(ancestors(graph, outputs))
        rows = reached if len(reached) else rows
    return Extent(rows, called_functions(graph, rows.tolist()), chosen)


def _named(signatures: Iterable[str]) -> str:
    names = ", ".join(signatures)
    return f"There is {names}." if names else "The files declare no signature."


def choose_signature(data: ProfileData, name: str | None = None) -> Signature | None:
    """The signature of that name; else the default one; else the first that has outputs."""
    signatures = {
        key: value
        for key, value in sorted(data.declared.signatures.items())
        if value.outputs and not key.startswith("__saved_model")
    }
    if name is not None:
        if name not in signatures:
            raise UsageError(f"no signature is called {name!r}", hint=_named(signatures))
        return signatures[name]
    return signatures.get(DEFAULT_SIGNATURE) or next(iter(signatures.values()), None)
