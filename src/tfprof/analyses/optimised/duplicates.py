"""Ops that compute the same of the same are computed once."""

from __future__ import annotations

from tfprof.analyses.memory.steps import ProgramStep
from tfprof.analyses.optimised.rewriting import Rewriting

# these differ from call to call, or hold something of their own
_ONCE_EACH = frozenset({"random", "variables", "control", "lists", "yours"})
_HOLDERS = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "VarHandleOp", "Variable",
            "VariableV2", "_Arg", "_Retval", "NoOp")  # fmt: skip


def duplicates(graph: Rewriting) -> None:
    """In the order of the program, so that ops over merged ops are found in the same go."""
    first: dict[tuple[object, ...], int] = {}
    for number in graph.numbers():
        step = graph.steps[number]
        if not _may_be_shared(graph, number):
            continue
        key = (step.op.site.op, tuple(step.reads), step.device, step.op.site.times)
        same = first.setdefault(key, number)
        if same == number or not _are_alike(graph.steps[same], step):
            continue
        for port in range(len(step.outputs)):
            graph.redirect((number, port), (same, port))
        graph.take_out(number)


def _may_be_shared(graph: Rewriting, number: int) -> bool:
    step = graph.steps[number]
    rule = step.op.site.rule
    if rule is None or rule.family in _ONCE_EACH or step.op.site.op in _HOLDERS:
        return False
    if graph.is_tied(number) or not step.reads or not graph.readers_of(number):
        return False
    return all(read is not None for read in step.reads)


def _are_alike(one: ProgramStep, other: ProgramStep) -> bool:
    """By their attributes, but for those that only say where a node comes from."""
    return _attributes(one) == _attributes(other)


def _attributes(step: ProgramStep) -> dict[str, bytes]:
    return {
        name: value.SerializeToString(deterministic=True)
        for name, value in step.op.site.call.attributes.items()
        if not name.startswith("_")
    }
