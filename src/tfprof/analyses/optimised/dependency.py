"""Ops that only pass on their inputs go, and with them what they made wait.

Keras hands all gradients through one `IdentityN` to its optimizer: as written, no variable is
updated before the last gradient is there. Without it each update can follow its gradient.
"""

from __future__ import annotations

from tfprof.analyses.optimised.rewriting import Rewriting

_ONE = ("Identity", "StopGradient", "PreventGradient", "Snapshot")
_SEVERAL = "IdentityN"
# what is read from these, or given to them, keeps its Identity
_SOURCES = ("Variable", "VariableV2", "_Recv", "_HostRecv")
_TARGETS = ("Merge", "RefMerge", "_Retval")


def dependency(graph: Rewriting) -> None:
    for number in graph.numbers():
        op = graph.op(number)
        if op in _ONE and _passes_on(graph, number):
            graph.redirect((number, 0), graph.steps[number].reads[0])
            graph.take_out(number)
        elif op == _SEVERAL and _is_better_without(graph, number):
            for port, read in enumerate(list(graph.steps[number].reads)):
                graph.redirect((number, port), read)
            graph.take_out(number)


def _passes_on(graph: Rewriting, number: int) -> bool:
    """Results of the step stay, and so does what control edges hang on."""
    reads = graph.steps[number].reads
    if not reads or reads[0] is None or graph.is_tied(number):
        return False
    return bool(graph.readers_of(number)) and graph.op(reads[0][0]) not in _SOURCES


def _is_better_without(graph: Rewriting, number: int) -> bool:
    """Grappler counts edges: no op may read it twice, and no control edge may hang on it."""
    readers = graph.readers_of(number)
    if graph.is_tied(number) or not readers or len(set(readers)) < len(readers):
        return False
    reads = graph.steps[number].reads
    sources = [graph.op(read[0]) for read in reads if read is not None]
    if len(sources) < len(reads) or sources[0] in _SOURCES:
        return False
    return not any(graph.op(reader) in _TARGETS for reader in readers)
