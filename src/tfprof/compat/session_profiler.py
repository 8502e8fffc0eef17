"""A profiler of the graphs that sessions run, whichever these turn out to be."""

from __future__ import annotations

from tfprof.compat.handed import Live
from tfprof.compat.profiler import OptionsLike, Profiler
from tfprof.compat.show import Result
from tfprof.live.several_graphs import JoinedGraphs


class SessionProfiler(Profiler):
    """Before the first run it is one of the default graph."""

    def __init__(self, compat: str | None) -> None:
        super().__init__(compat=compat)
        self._graphs: list[Live] = []

    def follow(self, graph: Live) -> None:
        """Steps of this graph will be added."""
        if all(known is not graph for known in self._graphs):
            self._graphs.append(graph)
            self._graph = graph if len(self._graphs) == 1 else JoinedGraphs(self._graphs)
            self._built = None

    def seen(self) -> float:
        """The part of the graphs' nodes that some step ran."""
        nodes = {one.name for graph in self._graphs for one in graph.get_operations()}
        tables = (run.trace.executions.node.table for run in self._runs)
        ran = {name.partition(":")[0] for table in tables for name in table}
        return len(ran & nodes) / max(1, len(nodes))

    def asked(self, command: str, options: OptionsLike) -> Result:
        return self._profiled(command, options)
