"""A Reshape that changes nothing goes, and of two in a row the first."""

from __future__ import annotations

from tfprof.analyses.optimised.rewriting import Rewriting


def reshape(graph: Rewriting) -> None:
    for number in graph.numbers():
        read = graph.steps[number].reads[0] if graph.op(number) == "Reshape" else None
        if read is None or graph.is_tied(number):
            continue
        if graph.op(read[0]) == "Reshape" and graph.steps[read[0]].reads[0] is not None:
            graph.move(number, 0, graph.steps[read[0]].reads[0])
        if _changes_nothing(graph, number) and graph.readers_of(number):
            graph.redirect((number, 0), graph.steps[number].reads[0])


def _changes_nothing(graph: Rewriting, number: int) -> bool:
    """Whether both shapes are known, and the same for any batch."""
    call = graph.steps[number].op.site.call
    after = call.output(0)
    return after is not None and None not in after and after == call.input(0)
