"""Constants of a graph that take room, and those that hold the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfprof.model.graph import Graph, Node, elements, known_shape
from tfprof.results.graph_traits import Constant
from tfprof.wire import dtypes

# smaller ones are the sizes and axes that every graph is full of
_WORTH_A_LOOK = 16_384


def constants(graphs: Iterable[Graph]) -> tuple[Constant, ...]:
    """The large ones, those with the same bytes together; what takes most room first."""
    found: dict[tuple[object, ...], Constant] = {}
    for key, one in (made for graph in graphs for made in _of(graph)):
        known = found.get(key)
        found[key] = one if known is None else Constant(known.name, one.bytes, known.copies + 1)
    return tuple(sorted(found.values(), key=lambda one: (-one.bytes * one.copies, one.name)))


def _of(graph: Graph) -> Iterator[tuple[tuple[object, ...], Constant]]:
    for node in graph.of_type("Const"):
        content, size = _content(node)
        if content is not None and size >= _WORTH_A_LOOK:
            from hashlib import blake2b  # loads OpenSSL

            yield (size, blake2b(content, digest_size=16).digest()), Constant(node.name, size)


def _content(node: Node) -> tuple[bytes | None, int]:
    """What is stored; a value that is said once for all elements takes no room in the file."""
    value = node.attributes.get("value")
    if value is None:
        return None, 0
    content = bytes(value.tensor.tensor_content)
    if content:
        return content, len(content)
    count = elements(known_shape(value.tensor.tensor_shape)) or 0
    stored = max(len(value.tensor.float_val), len(value.tensor.int_val), 0)
    bits = dtypes.bits(value.tensor.dtype) or 0
    return (value.SerializeToString(), count * bits // 8) if stored > 1 else (None, 0)
