"""Whether the ranks of a run compute the same: their graphs differ in devices, not in ops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.errors import InputUnreadable
from tfprof.model.graph import Graph
from tfprof.sources.find.folders import FoundFile

_GRAPH = "GraphDef"
_LISTED = 8


def graphs_that_differ(
    used: Sequence[FoundFile], left: Sequence[FoundFile], graph: Graph | None
) -> Iterator[str]:
    """A sentence for those ranks whose step is another than that of the first."""
    first = next((one for one in used if one.kind == _GRAPH and one.rank is not None), None)
    if first is None or graph is None:
        return
    theirs = [
        one
        for one in left
        if one.kind == _GRAPH and one.path.name == first.path.name and one.rank != first.rank
    ]
    others = [one.rank for one in theirs if one.rank is not None and not _alike(one, graph)]
    if others:
        yield (
            f"{listed_ranks(others)} computes another graph than rank {first.rank}, whose costs "
            f"these are; --run rank-{others[0]} shows it"
        )


def listed_ranks(ranks: Sequence[int]) -> str:
    """Rank 1, 2, 3; of many the first, and how many more."""
    more = len(ranks) - _LISTED
    first = ", ".join(map(str, ranks[:_LISTED]))
    return f"rank {first} and {more:,} more" if more > 0 else f"rank {first}"


def _alike(file: FoundFile, graph: Graph) -> bool:
    """By the ops in it; what cannot be read is no reason to say anything."""
    if file.format is None or file.format.read is None or file.closed:
        return True
    try:
        load = file.format.read(file.path, 0, None).graph
        other = load() if load is not None else None
        return other is None or _ops(other) == _ops(graph)
    except InputUnreadable:
        return True


def _ops(graph: Graph) -> list[tuple[str, int]]:
    """Of the graph itself and of all that it may call."""
    counts = dict(graph.ops.counts())
    for name in graph.functions:
        for op, count in graph.functions[name].body.ops.counts().items():
            counts[op] = counts.get(op, 0) + count
    return sorted(counts.items())
