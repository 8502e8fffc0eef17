"""A shape that is fed says the batch, too: the number in the place that the graph leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tfprof.analyses.inference.sites import Given
from tfprof.model.dims import BATCH, Shape, symbol
from tfprof.model.graph import Graph, as_shape


def fed_batch(graph: Graph | None, feeds: Mapping[str, Shape]) -> int | None:
    """None where no shape tells it, or two tell different ones."""
    sizes = {feeds[name][0] for name in _with_batch(graph, feeds)}
    if len(sizes) != 1:
        return None
    (size,) = sizes
    return size if isinstance(size, int) else None


def with_fed_batch(graph: Graph | None, given: Given) -> Given:
    """The same, with the batch of what is fed for all inputs; a size said for it comes first."""
    batch = fed_batch(graph, given.feeds)
    if batch is None:
        return given
    fed = {
        name: (symbol(BATCH), *given.feeds[name][1:]) for name in _with_batch(graph, given.feeds)
    }
    return replace(given, sizes={BATCH: batch, **given.sizes}, feeds={**given.feeds, **fed})


def _with_batch(graph: Graph | None, feeds: Mapping[str, Shape]) -> list[str]:
    """The inputs whose first size is fed as a number, and open in the graph."""
    if graph is None:
        return []
    fed = [name for name, shape in feeds.items() if shape and isinstance(shape[0], int)]
    return [name for name in fed if name in graph.index and _is_open(graph, graph.index[name])]


def _is_open(graph: Graph, row: int) -> bool:
    value = graph.attributes.of(row).get("shape")
    if value is None or not value.HasField("shape"):
        return True
    # graphs of early versions write an unknown shape as a scalar's
    shape = as_shape(value.shape)
    return not shape or shape[0] is None
