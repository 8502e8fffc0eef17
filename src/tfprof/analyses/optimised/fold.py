"""What hangs on constants alone is worked out before the step runs, unless it is large."""

from __future__ import annotations

from tfprof.analyses.memory.steps import ProgramStep
from tfprof.analyses.optimised.rewriting import Rewriting
from tfprof.model.dims import elements, packed

# larger constants are made only of constants that are as large
_LARGEST = 100 * 1024
# these change something, draw numbers, hold something or run functions
_NEVER = frozenset({"random", "variables", "holders", "control", "lists", "yours"})
_CONSTANT = "Const"
# one value, written down once however often it is there
_EVEN = "Fill"


def fold(graph: Rewriting) -> None:
    """In the order of the program: what is read has been looked at before."""
    constant: dict[int, int] = {}
    for number in graph.numbers():
        step = graph.steps[number]
        if graph.op(number) == _CONSTANT:
            constant[number] = _bytes(step) or 0
        elif _is_told(step) or _is_worked_out(step, constant):
            constant[number] = _bytes(step) or 0
            graph.hold(number)
    graph.prune()


def _is_told(step: ProgramStep) -> bool:
    """Whether every entry of every output is known from shapes alone."""
    outputs = step.op.site.call.outputs
    if not _may_be_folded(step) or not outputs:
        return False
    return all(
        one.value is not None and all(isinstance(entry, int) for entry in one.value)
        for one in outputs
    )


def _is_worked_out(step: ProgramStep, constant: dict[int, int]) -> bool:
    if not step.reads or not _may_be_folded(step):
        return False
    if any(read is None or read[0] not in constant for read in step.reads):
        return False
    size = _bytes(step)
    if size is None:
        return False
    made_of = sum(constant[read[0]] for read in step.reads if read is not None)
    return size < _LARGEST or size <= made_of or step.op.site.op == _EVEN


def _may_be_folded(step: ProgramStep) -> bool:
    rule = step.op.site.rule
    return rule is not None and rule.family not in _NEVER


def _bytes(step: ProgramStep) -> int | None:
    """Of all outputs; None where a size is open."""
    total = 0
    for one in step.op.site.call.outputs:
        size = packed(elements(one.shape), one.dtype)
        if not isinstance(size, int):
            return None
        total += size
    return total
