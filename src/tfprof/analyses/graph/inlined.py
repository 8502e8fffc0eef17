"""A graph with the functions it calls written out in their places.

A step may train inside a loop, a branch or a function that is compiled: what is a gradient, what
an update and what a variable is for can only be told where its ops are. The body of a loop stands
there once. Names lead through the calls, as those of inferred ops do.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tfprof.analyses.graph.handles import SKIPPED_INPUTS, WRITES, functions_of
from tfprof.analyses.graph.reach import CALLERS, ancestors, called_functions
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.budget import Budget
from tfprof.model.graph import CONTROL, Edges, Function, Graph, Node
from tfprof.model.interned import Interned
from tfprof.model.names import Names
from tfprof.model.remembered import is_kept, remembered
from tfprof.wire.schema import Proto

_GRADIENT = late_pattern(r"(^|.*/)(gradients(_\d+)?|gradient_tape)/.*")
# rows that any graph may come to, and for each of its own
_LEAST_ROWS, _ROWS_A_NODE = 200_000, 20
# a call is as much work as so many rows; deeper than any model nests, a function calls itself
_ROWS_A_CALL, _DEEPEST = 50, 40
_LOOPS = ("While", "StatelessWhile")
# what a node is that nothing flows through, and one that is either of several
_NOTHING, _EITHER = "NoOp", "Merge"

# a row, and which of its outputs
_Place = tuple[int, int]


# what every name of a gradient has in it
IN_GRADIENTS = "gradient"


def stands_in_gradients(name: str) -> bool:
    """Asked of every name of a graph: most can be told without the pattern."""
    return IN_GRADIENTS in name and _GRADIENT.fullmatch(name) is not None


@frozen_dataclass
class Inlined:
    """The rows of the graph itself come first; `origin` is the one of them that a row runs for."""

    graph: Graph
    origin: npt.NDArray[np.int64]


@remembered(lambda graph: ((graph,), ()), is_kept)
def inlined(graph: Graph) -> Inlined:
    """The graph as it is, unless a function that it calls makes gradients or changes a variable."""
    if graph.functions and _LAST_ASKED.trains_inside(graph):
        written = _Written(graph)
        if written.is_whole:
            return Inlined(written.graph(), np.array(written.origin, np.int64))
    return Inlined(graph, np.arange(len(graph)))


class _LastAsked:
    """The graph that was asked about last, which it does not keep: several ask in a row."""

    def __init__(self) -> None:
        self._asked: tuple[weakref.ref[Graph], bool] | None = None

    def trains_inside(self, graph: Graph) -> bool:
        asked = self._asked
        if asked is None or asked[0]() is not graph:
            asked = self._asked = weakref.ref(graph), _trains_inside(graph)
        return asked[1]


_LAST_ASKED = _LastAsked()


def _trains_inside(graph: Graph) -> bool:
    # what a gradient calls is known to be backward
    outside = [row for row, name in enumerate(graph.names) if not stands_in_gradients(name)]
    called = [one for one in called_functions(graph, outside).values() if not _restores(one)]
    if any(WRITES.fullmatch(op) for one in called for op in one.body.ops.table):
        return True
    return any(stands_in_gradients(name) for one in called for name in one.body.names)


def _restores(function: Function) -> bool:
    """A checkpoint is read before any step: what that writes trains nothing."""
    return "RestoreV2" in function.body.ops.table


@frozen_dataclass
class _Call:
    """A function to be written out, and who calls it."""

    function: Function
    caller: int
    given: list[_Place]
    depth: int


class _Written:
    """Rows one body after the other; `is_whole` unless they became too many."""

    def __init__(self, graph: Graph) -> None:
        self._names: list[str] = []
        self._ops: list[str] = []
        self._reads: list[list[_Place]] = []
        self._from: list[_Place] = []  # a graph of `_graphs`, and the row there
        self._graphs: list[Graph] = []
        self.origin: list[int] = []
        # the results of what a call runs: of a branch, of each way it may take
        self._results: dict[int, list[list[_Place]]] = {}
        # an argument is what the call was given
        self._arguments: dict[int, _Place] = {}
        budget = Budget(_LEAST_ROWS, _ROWS_A_NODE)
        budget.add(len(graph))
        waiting = self._write(graph, "", None, 0)
        while waiting and waiting[-1].depth <= _DEEPEST and not budget.is_over:
            budget.take(_ROWS_A_CALL + len(waiting[-1].function.body))
            waiting += self._call(waiting.pop())
        self.is_whole = not waiting

    def _write(self, graph: Graph, prefix: str, caller: int | None, depth: int) -> list[_Call]:
        first, number = len(self._names), len(self._graphs)
        self._graphs.append(graph)
        self._names += [prefix + name for name in graph.names]
        self._ops += [graph.ops.table[code] for code in graph.ops.codes.tolist()]
        self._from += [(number, row) for row in range(len(graph))]
        self.origin += (
            [self.origin[caller]] * len(graph) if caller is not None else range(len(graph))
        )
        offsets, ports = graph.edges.offsets.tolist(), graph.edges.port.tolist()
        nodes = [node + first if node >= 0 else node for node in graph.edges.node.tolist()]
        places = list(zip(nodes, ports, strict=True))
        self._reads += [places[one:other] for one, other in pairwise(offsets)]
        return [call for node in _calling(graph) for call in self._calls(node, first, depth + 1)]

    def _calls(self, node: Node, first: int, depth: int) -> Iterator[_Call]:
        functions = [one for one in functions_of(node) if not _restores(one)]
        if node.op in _LOOPS:
            functions = functions[:1]  # what it asks before a round changes nothing
        given = [place for place in self._reads[first + node.row] if place[1] != CONTROL]
        for function in functions:
            yield _Call(function, first + node.row, given[SKIPPED_INPUTS.get(node.op, 0) :], depth)

    def _call(self, call: _Call) -> list[_Call]:
        function, first = call.function, len(self._names)
        prefix = self._names[call.caller] + "/"
        found = self._write(function.body, prefix, call.caller, call.depth)
        for place, source in zip(range(len(function.arguments)), call.given, strict=False):
            self._arguments[first + place] = source
        results = [_place(function.body, where, first) for where in function.results.values()]
        self._results.setdefault(call.caller, []).append(results)
        return found

    def graph(self) -> Graph:
        for row in (*self._arguments, *self._results):
            self._ops[row] = _NOTHING
        reads = self._connected()
        whole = self._made(reads)
        live = ancestors(
            whole, [*range(len(self._graphs[0])), *whole.ops.map(_writes).nonzero()[0]]
        )
        for row in np.flatnonzero(~live).tolist():
            self._ops[row] = _NOTHING  # what no result and no change needs does not run
        return self._made(reads)

    def _connected(self) -> list[list[_Place]]:
        """What each row reads, through calls; who reads either way of a branch reads a new row."""
        either: dict[_Place, int] = {}
        found: list[list[_Place]] = []
        while len(found) < len(self._reads):
            reads = self._reads[len(found)]
            found.append([self._source(place, either) for place in reads])
        return found

    def _source(self, place: _Place, either: dict[_Place, int]) -> _Place:
        seen = set()
        while place[1] != CONTROL and place not in seen:
            seen.add(place)
            row, port = place
            ways = [way[port] for way in self._results.get(row, ()) if port < len(way)]
            if row in self._arguments:
                place = self._arguments[row]
            elif len(ways) == 1:
                place = ways[0]
            elif ways:
                if place not in either:
                    either[place] = self._add_either(row, ways)
                return either[place], 0
        return place

    def _add_either(self, call: int, ways: list[_Place]) -> int:
        self._names.append(f"{self._names[call]}/{_EITHER}")
        self._ops.append(_EITHER)
        self._reads.append(ways)
        self._from.append(self._from[call])
        self.origin.append(self.origin[call])
        return len(self._names) - 1

    def _made(self, reads: list[list[_Place]]) -> Graph:
        flat = np.array([place for row in reads for place in row], np.int32).reshape(-1, 2)
        counts = np.array([len(row) for row in reads], np.int64)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Graph(
            Names(self._names),
            Interned.of(self._ops),
            Interned.of([""] * len(self._names)),
            Edges(offsets, flat[:, 0], flat[:, 1]),
            _Attributes(self._graphs, self._from),
        )


def _writes(op: str) -> bool:
    return WRITES.fullmatch(op) is not None


def _calling(graph: Graph) -> Iterator[Node]:
    """The nodes that call a function; few ops do."""
    return graph.of_type(*(op for op in graph.ops.table if op in graph.functions or op in CALLERS))


def _place(body: Graph, where: str, first: int) -> _Place:
    """Where a result is made: `node:output:index`."""
    name, _, rest = where.partition(":")
    number = rest.rpartition(":")[2]
    row = body.index.get(name)
    if row is None:
        return -1, 0
    return first + row, int(number) if number.isdecimal() and len(number) < 9 else 0


@frozen_dataclass
class _Attributes:
    graphs: list[Graph]
    places: list[_Place]

    def of(self, node: int) -> Mapping[str, Proto]:
        number, row = self.places[node]
        return self.graphs[number].attributes.of(row)

    def column(self, name: str, among: npt.NDArray[np.int64] | None = None) -> Mapping[int, Proto]:
        nodes = range(len(self.places)) if among is None else among.tolist()
        found = ((node, self.of(node).get(name)) for node in nodes)
        return {node: value for node, value in found if value is not None}
