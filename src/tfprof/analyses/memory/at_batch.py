"""A step at one batch, from the same step with the batch left open: shapes are inferred once."""

from __future__ import annotations

from dataclasses import replace

from tfprof.analyses.cost.op_costs import Cost, OpCost
from tfprof.analyses.memory.op_times import duration
from tfprof.analyses.memory.program import MemoryModel, Program, scratch_of
from tfprof.analyses.memory.steps import Line, OpOutput, ProgramStep
from tfprof.model.dims import BATCH, Open, at
from tfprof.ops.rule import Call, Tensor

# at one sample a dimension broadcasts that does not at any other batch: that is inferred anew
SMALLEST = 2


def is_known_at(made: Program, batch: int) -> bool:
    """Whether sizes at a batch follow from those with the batch left open: as lines over it."""
    return not made.unknown and batch >= SMALLEST


def at_batch(made: Program, batch: int, model: MemoryModel) -> Program:
    """The same, of a program that is known at the batch."""
    there = AtBatch(batch, model)
    steps = [_at(step, there) for step in made.steps]
    inputs = [_fixed(one, batch) for one in made.inputs]
    return replace(made, steps=steps, inputs=inputs)


def _at(step: ProgramStep, there: AtBatch) -> ProgramStep:
    outputs = [
        OpOutput(there.size(one.size), one.readers, one.alias, one.dtype, one.holds)
        for one in step.outputs
    ]
    scratch, spared = there.scratch(step)
    return ProgramStep(
        there.op(step.op),
        step.reads,
        outputs,
        step.reuse,
        scratch,
        there.duration(step.op),
        step.device,
        step.is_cheap,
        step.waits_for,
        step.releases,
        spared,
        step.value_of,
        step.changes,
    )


class AtBatch:
    """What hangs on the batch. An op is worked out once, in however many rounds it runs."""

    def __init__(self, batch: int, model: MemoryModel) -> None:
        self.batch, self._model = batch, model
        self._sizes: dict[Line, Line] = {}
        self._ops: dict[int, OpCost] = {}
        self._durations: dict[int, float] = {}
        self._scratch: dict[int, tuple[Line, int]] = {}

    def size(self, size: Line) -> Line:
        found = self._sizes.get(size)
        if found is None:
            found = self._sizes[size] = self._model.rounded(_fixed(size, self.batch))
        return found

    def op(self, op: OpCost) -> OpCost:
        if op.cost is None:
            return op
        found = self._ops.get(id(op))
        if found is None:
            found = self._ops[id(op)] = replace(op, cost=_cost(op.cost, self.batch))
        return found

    def duration(self, op: OpCost) -> float:
        found = self._durations.get(id(op))
        if found is None:
            found = self._durations[id(op)] = duration(op, self.batch)
        return found

    def scratch(self, step: ProgramStep) -> tuple[Line, int]:
        """Also the bytes of it that are spared.

        Kernels split their work by the batch they get: the rule sees the sizes themselves.
        """
        rule, call = step.op.site.rule, step.op.site.call
        if rule is None or not self._model.has_scratch_of(rule):
            return _fixed(step.scratch, self.batch), 0
        found = self._scratch.get(id(call))
        if found is None:
            found = scratch_of(rule, _call(call, self.batch), self._model)
            self._scratch[id(call)] = found
        return found


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


def _call(call: Call, batch: int) -> Call:
    inputs = [_tensor(one, batch) for one in call.inputs]
    found = Call(call.name, call.op, inputs, lambda: call.attributes)
    found.outputs = [_tensor(one, batch) for one in call.outputs]
    return found


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
