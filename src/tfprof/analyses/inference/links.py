"""How nodes are linked: what each reads, by number and, inside functions, by name."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.analyses.inference.order import BACK_EDGES
from tfprof.model.graph import CONTROL, Graph
from tfprof.ops.rule import UNKNOWN, Rule, Tensor

Results = dict[int, list[Tensor]]


class Inputs:
    """What each node of a graph reads, as plain lists: they are gone through once a node."""

    def __init__(self, graph: Graph, known: Mapping[str, Rule]) -> None:
        self._graph = graph
        self._offsets = graph.edges.offsets.tolist()
        self._node, self._port = graph.edges.node.tolist(), graph.edges.port.tolist()
        self._labels, self._rules = graph.edges.label, known

    def sources(self, row: int) -> list[int]:
        """The nodes read, without controls."""
        span = range(self._offsets[row], self._offsets[row + 1])
        return [self._node[edge] for edge in span if self._port[edge] != CONTROL]

    def turns_back(self, row: int) -> bool:
        """Whether a loop leads back to the node."""
        ops = self._graph.ops
        return any(source >= 0 and ops[source] in BACK_EDGES for source in self.sources(row))

    def origin(self, row: int, place: int) -> str:
        """The name of the node that an input comes from, behind those that only pass it on."""
        sources = self.sources(row)
        at = sources[place] if place < len(sources) else row
        seen = {at}
        while at >= 0 and self._graph.ops[at] in ("Identity", "Switch"):
            sources = self.sources(at)
            if not sources or sources[0] < 0 or sources[0] in seen:
                break
            at = sources[0]
            seen.add(at)
        return self._graph.names[at]

    def ends_a_loop(self, row: int) -> bool:
        """Whether a switch decides about another round."""
        sources = self.sources(row)
        return len(sources) > 1 and sources[1] >= 0 and self._graph.ops[sources[1]] == "LoopCond"

    def tensors(self, row: int, results: Results) -> list[Tensor]:
        first, end = self._offsets[row], self._offsets[row + 1]
        labels = self._labels
        if end == first + 1 and not labels and self._port[first] != CONTROL:
            # most ops read one, and a list that was appended to takes more memory
            port, outputs = self._port[first], results.get(self._node[first])
            if not outputs or port >= len(outputs):
                return [UNKNOWN]
            # nobody changes either list
            return outputs if len(outputs) == 1 else [outputs[port]]
        found = []
        for edge in range(first, end):
            port = self._port[edge]
            if port == CONTROL:
                continue
            source = self._node[edge]
            outputs = results.get(source)
            if labels and edge in labels and source >= 0:
                port = flat_port(self._graph.ops[source], labels[edge], port, self._rules)
            found.append(outputs[port] if outputs and port < len(outputs) else UNKNOWN)
        return found


def flat_port(op: str, label: str, number: int, known: Mapping[str, Rule]) -> int:
    """`batch_mean:0` of a batch norm is its output 1: inside functions outputs go by name."""
    rule = known.get(op)
    if rule is None or label not in rule.outputs:
        return number
    return rule.outputs.index(label) + number


def picked(body: Graph, where: str, results: Results, known: Mapping[str, Rule]) -> Tensor:
    """The tensor that a function returns under `node:output:number`."""
    name, _, rest = where.partition(":")
    label, _, number = rest.rpartition(":")
    row = body.index.get(name, -1)
    port = int(number) if number.isdecimal() else 0
    if row >= 0 and label:
        port = flat_port(body.ops[row], label, port, known)
    outputs = results.get(row, [])
    return outputs[port] if port < len(outputs) else UNKNOWN
