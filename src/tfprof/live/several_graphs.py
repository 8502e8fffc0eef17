"""Several tf.Graphs read as one, for a program that trains one and evaluates another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.live.live_objects import Live


class JoinedGraphs:
    """As much of a tf.Graph as is read here. Of nodes with one name the first counts."""

    def __init__(self, graphs: Sequence[Live]) -> None:
        self._graphs = graphs

    @property
    def version(self) -> tuple[int, ...]:
        return tuple(graph.version for graph in self._graphs)

    def get_operations(self) -> list[Live]:
        found: dict[str, Live] = {}
        for graph in self._graphs:
            for operation in graph.get_operations():
                found.setdefault(operation.name, operation)
        return list(found.values())

    def get_collection(self, name: str) -> list[Live]:
        return [item for graph in self._graphs for item in graph.get_collection(name)]

    def get_tensor_by_name(self, name: str) -> Live:
        """A KeyError where no graph has it, as from a graph."""
        *others, last = self._graphs
        for graph in others:
            try:
                return graph.get_tensor_by_name(name)
            except KeyError:
                continue
        return last.get_tensor_by_name(name)

    def as_graph_def(self, *, add_shapes: bool = False) -> Live:
        joined, *others = self._definitions(add_shapes=add_shapes)
        nodes = {node.name for node in joined.node}
        functions = {function.signature.name for function in joined.library.function}
        for other in others:
            joined.node.extend(node for node in other.node if node.name not in nodes)
            nodes.update(node.name for node in other.node)
            joined.library.function.extend(
                one for one in other.library.function if one.signature.name not in functions
            )
            functions.update(one.signature.name for one in other.library.function)
        return joined

    def _definitions(self, *, add_shapes: bool) -> Iterator[Live]:
        return (graph.as_graph_def(add_shapes=add_shapes) for graph in self._graphs)
