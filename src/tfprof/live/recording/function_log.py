"""The op log of a traced function: FLOPs and code traces of its ops and of those it calls."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tfprof.live.live_objects import Live


def function_log(concrete: Live) -> bytes:
    """What `tfprof_log` holds of a function and of those that it calls."""
    return graph_log(list(graphs_of(concrete)))


def graph_log(graphs: Sequence[Live]) -> bytes:
    """What `tfprof_log` holds of graphs; the first of several ops with one name counts."""
    from tfprof.live.op_log import default_log
    from tfprof.live.several_graphs import JoinedGraphs

    joined = JoinedGraphs(graphs)
    with _quiet():
        log: bytes = default_log(joined, add_trace=True).log.SerializeToString()
    return log


@contextmanager
def _quiet() -> Iterator[None]:
    """TensorFlow warns users of what its own registry of FLOPs does.

    Other threads go on talking: the program trains meanwhile.
    """
    here = threading.get_ident()

    def is_others(told: logging.LogRecord) -> bool:
        return told.thread != here or told.levelno >= logging.ERROR

    logger = logging.getLogger("tensorflow")
    logger.addFilter(is_others)
    try:
        yield
    finally:
        logger.removeFilter(is_others)


def graphs_of(concrete: Live) -> Iterator[Live]:
    """The graph of a function and of all that it calls, each once."""
    waiting, seen = [concrete.graph], set()
    while waiting:
        graph = waiting.pop(0)
        if graph is None or id(graph) in seen:
            continue
        seen.add(id(graph))
        yield graph
        held = getattr(graph, "_functions", None)
        waiting += [getattr(one, "graph", None) for one in held.values()] if held else []


def op_names(concrete: Live) -> list[str]:
    """The names of the ops of a function and of all that it calls, bodies of loops included."""
    definition = concrete.graph.as_graph_def()
    inside = (node.name for one in definition.library.function for node in one.node_def)
    return [*(node.name for node in definition.node), *inside]
