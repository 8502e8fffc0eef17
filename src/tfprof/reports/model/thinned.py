"""A graph of fewer rows: below a depth, a scope stands for all that is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.results.model_graph import GraphEdges, GraphMetric, ModelGraph

Ints = npt.NDArray[np.int64]
_NODE = 0


def depths(parent: Sequence[int]) -> Ints:
    """Of rows in preorder; a root is its own parent, or has none."""
    found = [0] * len(parent)
    for row, above in enumerate(parent):
        if 0 <= above < row:
            found[row] = found[above] + 1
    return np.array(found, np.int64)


def deepest(depth: Ints, most: int) -> int:
    """The level down to which there are no more than `most` rows; the first one at least."""
    rows = np.cumsum(np.bincount(depth))
    return max(1, int(np.searchsorted(rows, most, "right")) - 1)


def thinned(graph: ModelGraph, most: int) -> ModelGraph:
    """Sums stay what they are; of edges those that lead from one row to another."""
    depth = depths(graph.parent.tolist())
    level = deepest(depth, most)
    if level >= int(depth.max(initial=0)):
        return graph
    stands_in = np.arange(len(graph))
    for below in range(level + 1, int(depth.max()) + 1):
        rows = np.flatnonzero(depth == below)
        stands_in[rows] = stands_in[graph.parent[rows]]
    kept = depth <= level
    number = np.cumsum(kept) - 1
    folded = (graph.kind == _NODE) & ~kept
    inside = np.bincount(stands_in[folded], minlength=len(graph))
    said = f"{graph.nodes:,} {graph.of}: below level {level} of scopes, only how many there are."
    return ModelGraph(
        graph.of,
        [label for label, is_kept in zip(graph.labels, kept.tolist(), strict=True) if is_kept],
        np.where(graph.parent >= 0, number[graph.parent], graph.parent)[kept],
        graph.kind[kept],
        graph.op[kept],
        graph.ops,
        graph.device[kept],
        graph.devices,
        [_of_rows(one, kept) for one in graph.metrics],
        _between(graph.data, number[stands_in]),
        _between(graph.control, number[stands_in]),
        [*graph.notes, said],
        graph.shown,
        inside[kept],
    )


def _of_rows(metric: GraphMetric, kept: npt.NDArray[np.bool_]) -> GraphMetric:
    if metric.total is None:
        return metric
    partly = None if metric.partly is None else metric.partly[kept]
    return replace(metric, total=metric.total[kept], partly=partly)


def _between(edges: GraphEdges, number: Ints) -> GraphEdges:
    """All but what a scope reads of itself; none twice as one, or there would seem to be fewer."""
    source, target = number[edges.source], number[edges.target]
    leads = source != target
    return GraphEdges(source[leads], target[leads], edges.shape[leads], edges.shapes)
