"""A step at one batch, from the same step with the batch left open: shapes are inferred once."""

from __future__ import annotations

from dataclasses import replace

from tfprof.analyses.cost.op_costs import Cost
from tfprof.analyses.memory.op_times import duration
from tfprof.analyses.memory.program import MemoryModel, Program, line
from tfprof.analyses.memory.steps import NOTHING, Line, OpOutput, ProgramStep
from tfprof.model.dims import BATCH, Open, at
from tfprof.ops.rule import Call, Tensor

# at one sample a dimension broadcasts that does not at any other batch: that is inferred anew
SMALLEST = 2


def at_batch(made: Program, batch: int, model: MemoryModel) -> Program | None:
    """None where sizes are no lines over the batch."""
    if made.unknown or batch < SMALLEST:
        return None
    steps = [_at(step, batch, model) for step in made.steps]
    inputs = [_fixed(one, batch) for one in made.inputs]
    return replace(made, steps=steps, inputs=inputs)


def _at(step: ProgramStep, batch: int, model: MemoryModel) -> ProgramStep:
    outputs = [
        OpOutput(
            model.rounded(_fixed(one.size, batch)),
            one.readers,
            one.alias,
            one.dtype,
            one.holds,
        )
        for one in step.outputs
    ]
    op = step.op if step.op.cost is None else replace(step.op, cost=_cost(step.op.cost, batch))
    scratch = _scratch(step, batch, model)
    return ProgramStep(
        op,
        step.reads,
        outputs,
        step.reuse,
        scratch,
        duration(op, batch),
        step.device,
        step.is_cheap,
        step.waits_for,
        step.releases,
    )


def _fixed(size: Line, batch: int) -> Line:
    return 0, size[0] * batch + size[1]


def _cost(cost: Cost, batch: int) -> Cost:
    known = {BATCH: batch}
    return Cost(
        at(cost.macs, known),
        at(cost.flops_all, known),
        at(cost.float_ops, known),
        at(cost.read, known),
        at(cost.written, known),
    )


def _scratch(step: ProgramStep, batch: int, model: MemoryModel) -> Line:
    """Kernels split their work by the batch they get: the rule sees the sizes themselves."""
    site = step.op.site
    if site.rule is None or site.rule.scratch is None or not model.has_scratch:
        return _fixed(step.scratch, batch)
    inputs = [_tensor(one, batch) for one in site.call.inputs]
    call = Call(site.call.name, site.call.op, inputs, lambda: site.call.attributes)
    call.outputs = [_tensor(one, batch) for one in site.call.outputs]
    slope, rest = line(site.rule.scratch(call)) or NOTHING
    return slope // model.shrinks, rest // model.shrinks


def _tensor(one: Tensor, batch: int) -> Tensor:
    known = {BATCH: batch}
    shape: Open = (
        None
        if one.shape is None
        else tuple(size if size is None else at(size, known) for size in one.shape)
    )
    value = (
        None
        if one.value is None
        else tuple(entry if entry is None else at(entry, known) for entry in one.value)
    )
    return replace(one, shape=shape, value=value)
