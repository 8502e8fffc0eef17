"""What a graph says XLA compiles: calls of functions, or single ops of a scope of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tfprof.model.graph import Graph
from tfprof.wire.schema import Proto

_MARKS = ("_XlaMustCompile", "_XlaCompile")
_SCOPE = "_XlaScope"
_UNNAMED = "a part of the graph"


def is_compiled(attributes: Mapping[str, Proto]) -> bool:
    return any(mark in attributes and attributes[mark].b for mark in _MARKS)


def scope_of(attributes: Mapping[str, Proto]) -> str:
    """What an op that is marked by itself is compiled with."""
    name = attributes.get(_SCOPE)
    return (name.s.decode(errors="replace") if name is not None else "") or _UNNAMED


def compiled_nodes(graph: Graph) -> Iterator[int]:
    marked = {
        row for mark in _MARKS for row, said in graph.attributes.column(mark).items() if said.b
    }
    yield from sorted(marked)
