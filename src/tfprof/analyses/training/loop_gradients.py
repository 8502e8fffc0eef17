"""The gradient of a loop: what it keeps of every round, and what it computes in every round."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.analyses.graph.subgraph import BACKWARD, FORWARD
from tfprof.analyses.training.written_ops import op_of
from tfprof.frozen_dataclass import mutable_dataclass
from tfprof.model.dims import Size, divided
from tfprof.ops.gradients import SCOPE, Backward, Differentiate, is_float, unlisted
from tfprof.ops.rule import Call, Rule, Tensor
from tfprof.ops.shape_tools import no_output

LOOPS = frozenset({"While", "StatelessWhile"})
# holds one tensor of every round
_LIST, _FROM_LIST = "TensorList", "TensorListGetItem"
# the gradient of a loop is a loop; what it computes is counted with what is inside
_GRADIENT = Rule(tuple(sorted(LOOPS)), "control", no_output)


@mutable_dataclass(unsafe_hash=True)
class InRounds(OpCost):
    """A gradient inside a loop. It counts, but the gradient of the whole loop has its memory."""


@mutable_dataclass
class Rounds:
    """The tensors that a loop keeps for its gradient, and the gradients of what is inside.

    `outside` are tensors that go into the loop.
    """

    outside: set[int]
    kept: dict[int, OpCost] = field(default_factory=dict)
    written: list[OpCost] = field(default_factory=list)


def rounds_of(
    loop: OpCost,
    forward: Sequence[OpCost],
    known: Mapping[str, Differentiate],
    wanted: Collection[int],
) -> Rounds:
    """Gradients of all numbers inside are written down, but for those of data.

    `wanted` are the inputs of the loop that a gradient is wanted of: what a round takes from a list
    that is none of them is data. Kept is what gradients read, an op for each tensor, once for all
    rounds. Variables are there anyway, and so is what every round finds unchanged.
    """
    inputs = loop.site.call.inputs
    found = Rounds({id(one) for one in inputs})
    lists = {id(one.holds) for place, one in enumerate(inputs) if one.holds and place not in wanted}
    data: set[int] = set()
    for op in forward:
        # what is called inside is there op by op
        if op.site.name.startswith(f"{loop.site.name}/") and op.site.rule is not None:
            if _is_data(op.site.call, lists, data):
                data.update(map(id, op.site.call.outputs))
            else:
                _go_back(op, loop, known, found, data)
    return found


def _is_data(call: Call, lists: Collection[int], data: Collection[int]) -> bool:
    """What is taken from a list of data, or made of nothing else."""
    if call.op == _FROM_LIST and id(call.inputs[0].holds) in lists:
        return True
    numbers = [one for one in call.inputs if is_float(one)]
    return bool(numbers) and all(id(one) in data for one in numbers)


def _go_back(
    op: OpCost,
    loop: OpCost,
    known: Mapping[str, Differentiate],
    found: Rounds,
    data: Collection[int],
) -> None:
    call = op.site.call
    wanted = frozenset(
        place for place, one in enumerate(call.inputs) if is_float(one) and id(one) not in data
    )
    given = [Tensor(one.shape, one.dtype) if is_float(one) else None for one in call.outputs]
    if not wanted or not any(given):
        return
    back = Backward(call, given, wanted, [])
    known.get(call.op, unlisted)(back)
    forward = {id(one) for one in (*call.inputs, *call.outputs)}
    for written in back.written:
        made = op_of(written, op.site.row, BACKWARD, op.site.times)
        found.written.append(InRounds(made.site, made.phase, made.cost))
        for tensor in written.inputs:
            is_made = id(tensor) in forward and id(tensor) not in found.outside
            is_kept = is_made and tensor.shape and not tensor.variable
            if is_kept and id(tensor) not in found.kept:
                found.kept[id(tensor)] = _list(op, tensor, _count(op, loop))


def _count(op: OpCost, loop: OpCost) -> Size:
    rounds = divided(op.site.times, loop.site.times)
    return op.site.times if rounds is None else rounds


def _list(op: OpCost, tensor: Tensor, rounds: Size) -> OpCost:
    call = Call(f"{op.site.name}/kept", _LIST, [tensor])
    call.outputs = [Tensor((rounds, *(tensor.shape or ())), tensor.dtype)]
    return op_of(call, op.site.row, FORWARD)


def loop_gradient(
    loop: OpCost, back: Backward, rounds: Rounds, variables: Mapping[int, Tensor]
) -> tuple[OpCost, dict[int, Tensor]]:
    """All rounds of the gradient as one op: it ends with a gradient for each input."""
    places = sorted(back.wanted)
    kept = [op.site.call.outputs[0] for op in rounds.kept.values()]
    given = [one for one in back.given if one is not None]
    outputs = [_like(variables.get(id(back.x(place)), back.x(place))) for place in places]
    call = Call(f"{SCOPE}{back.call.name}", back.call.op, [*given, *kept])
    call.outputs = outputs
    made = op_of(call, loop.site.row, BACKWARD, loop.site.times)
    made = replace(made, site=replace(made.site, rule=_GRADIENT))
    return made, dict(zip(places, outputs, strict=True))


def _like(tensor: Tensor) -> Tensor:
    """The gradient of a list is a tensor of all its elements."""
    if tensor.holds is not None and tensor.holds.shape is not None:
        return Tensor((tensor.length, *tensor.holds.shape), tensor.holds.dtype)
    return Tensor(tensor.shape, tensor.dtype)
