"""Ops that no graph holds: written down beside those of a graph, with what they cost."""

from __future__ import annotations

from collections.abc import Iterable

from tfprof.analyses.cost.op_costs import Cost, OpCost
from tfprof.analyses.inference.sites import Site
from tfprof.model.dims import Size, elements, packed
from tfprof.ops.rule import Call, Rule, Tensor, rules
from tfprof.ops.shape_tools import no_output

# stands for ops of a type that has no rule: it makes its outputs and nothing else is known of it
_ANY = Rule(("any",), "any", no_output)
_DAMAGED = (ArithmeticError, LookupError, TypeError, ValueError)


def op_of(call: Call, row: int, phase: str, times: Size = 1) -> OpCost:
    """A call whose outputs are known, as an op of a program."""
    rule = rules().get(call.op, _ANY)
    return OpCost(Site(call, rule, row, times), phase, _cost(call, rule, times))


def _cost(call: Call, rule: Rule, times: Size) -> Cost:
    """What decides how long it runs; without the arithmetic where that is not known."""
    try:
        macs = (rule.macs(call) if rule.macs is not None else 0) or 0
        work = (rule.work(call) if rule.work is not None else 0) or 0
    except _DAMAGED:
        macs = work = 0
    read: Size = 0
    written: Size = 0
    if rule.allocates and rule.alias is None:
        read, written = _bytes(call.inputs), _bytes(call.outputs)
    return Cost(macs * times, (macs * 2 + work) * times, 0, read * times, written * times)


def _bytes(tensors: Iterable[Tensor]) -> Size:
    total: Size = 0
    for tensor in tensors:
        total = total + (packed(elements(tensor.shape), tensor.dtype) or 0)
    return total
