"""What a loop keeps for its gradient: every round of the tensors that the gradients inside read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.analyses.graph.subgraph import FORWARD
from tfprof.analyses.memory.written_ops import op_of
from tfprof.model.dims import Size, divided
from tfprof.ops.gradients import SCOPE, UNLISTED, Backward, Differentiate, is_float, unlisted
from tfprof.ops.rule import Call, Tensor

LOOPS = frozenset({"While", "StatelessWhile"})
# holds one tensor of every round
_LIST = "TensorList"


def kept_rounds(
    loop: OpCost, forward: Sequence[OpCost], known: Mapping[str, Differentiate]
) -> list[OpCost]:
    """An op for each tensor that is kept, once for all rounds; variables are there anyway."""
    inside = [op for op in forward if op.site.name.startswith(f"{loop.site.name}/")]
    found: dict[int, OpCost] = {}
    for op in inside:
        for tensor in _read_back(op, known):
            if id(tensor) not in found and not tensor.variable:
                found[id(tensor)] = _list(op, tensor, _rounds(op, loop))
    return list(found.values())


def _read_back(op: OpCost, known: Mapping[str, Differentiate]) -> Iterator[Tensor]:
    """Which tensors of the forward pass the gradient of an op reads: it is written down to see."""
    call = op.site.call
    wanted = frozenset(place for place, one in enumerate(call.inputs) if is_float(one))
    given = [Tensor(one.shape, one.dtype) if is_float(one) else None for one in call.outputs]
    if not wanted or not any(given):
        return
    back = Backward(call, given, wanted, [])
    known.get(call.op, unlisted)(back)
    forward = {id(one) for one in (*call.inputs, *call.outputs)}
    for written in back.written:
        yield from (one for one in written.inputs if id(one) in forward and one.shape)


def _rounds(op: OpCost, loop: OpCost) -> Size:
    rounds = divided(op.site.times, loop.site.times)
    return op.site.times if rounds is None else rounds


def _list(op: OpCost, tensor: Tensor, rounds: Size) -> OpCost:
    call = Call(f"{op.site.name}/kept", _LIST, [tensor])
    call.outputs = [Tensor((rounds, *(tensor.shape or ())), tensor.dtype)]
    return op_of(call, op.site.row, FORWARD)


def loop_gradient(
    back: Backward, kept: Sequence[OpCost], variables: Mapping[int, Tensor]
) -> dict[int, Tensor]:
    """All rounds of the gradient as one op: it ends with a gradient for each input."""
    places = sorted(back.wanted)
    rounds = [op.site.call.outputs[0] for op in kept]
    given = [one for one in back.given if one is not None]
    outputs = [_like(variables.get(id(back.x(place)), back.x(place))) for place in places]
    call = Call(f"{SCOPE}{back.call.name}", UNLISTED, [*given, *rounds])
    call.outputs = outputs
    back.written.append(call)
    return dict(zip(places, outputs, strict=True))


def _like(tensor: Tensor) -> Tensor:
    """The gradient of a list is a tensor of all its elements."""
    if tensor.holds is not None and tensor.holds.shape is not None:
        return Tensor((tensor.length, *tensor.holds.shape), tensor.holds.dtype)
    return Tensor(tensor.shape, tensor.dtype)
