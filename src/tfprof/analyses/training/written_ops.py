"""Ops that no graph holds: written down beside those of a graph, with what they cost."""

from __future__ import annotations

from tfprof.analyses.cost.op_costs import CALLS, Cost, OpCost, total_bytes
from tfprof.analyses.inference.sites import Site
from tfprof.model.dims import Size
from tfprof.ops.rule import Call, Rule, rules
from tfprof.ops.shape_tools import no_output

# stands for ops of a type that has no rule: it makes its outputs and nothing else is known of it
_ANY = Rule(("any",), "any", no_output)
_DAMAGED = (ArithmeticError, LookupError, TypeError, ValueError)


def op_of(call: Call, row: int, phase: str, times: Size = 1, work: Size | None = None) -> OpCost:
    """A call whose outputs are known, as an op of a program; `work` where no rule counts it."""
    rule = None if call.op in CALLS else rules().get(call.op, _ANY)
    return OpCost(Site(call, rule, row, times), phase, _cost(call, rule or _ANY, times, work or 0))


def is_counted(op: OpCost) -> bool:
    """Whether the arithmetic of an op that was written down is known."""
    rule, call = op.site.rule, op.site.call
    if rule is None:
        return True
    counts = [one for one in (rule.macs, rule.work) if one is not None]
    return rule is not _ANY and all(count(call) is not None for count in counts)


def _cost(call: Call, rule: Rule, times: Size, by_hand: Size) -> Cost:
    """What decides how long it runs; without the arithmetic where that is not known."""
    try:
        macs = (rule.macs(call) if rule.macs is not None else 0) or 0
        work = (rule.work(call) if rule.work is not None else by_hand) or 0
    except _DAMAGED:
        macs = work = 0
    read: Size = 0
    written: Size = 0
    if rule.allocates and rule.alias is None:
        read, written = total_bytes(call.inputs), total_bytes(call.outputs)
    return Cost(macs * times, (macs * 2 + work) * times, 0, read * times, written * times)
