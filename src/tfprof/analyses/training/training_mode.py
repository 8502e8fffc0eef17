"""A forward pass as it runs in training: where it differs from a prediction.

Batch normalisation takes its statistics from the batch. The softmax at the end is part of the loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.analyses.graph.subgraph import FORWARD
from tfprof.analyses.training.written_ops import op_of
from tfprof.model.dims import Open, Shape
from tfprof.ops.attributes import flag
from tfprof.ops.rule import Call, Tensor

_FUSED = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
_STATISTICS = (3, 4)
_ENDS_IN = frozenset({"Softmax", "Sigmoid"})
_PASSES = frozenset({"Identity", "IdentityN"})
_KEEPS = frozenset({"Identity", "Reshape", "Cast", "ReadVariableOp"})
_ADDS = ("Add", "AddV2")
_EMPTY = Tensor((0,))


def in_training(ops: Sequence[OpCost]) -> list[OpCost]:
    """The same tensors, made by the ops that training has."""
    flow = _Flow(ops)
    norms = dict(pair for op in ops if op.site.op == "Rsqrt" for pair in _norm(flow, op).items())
    found: list[OpCost] = []
    for op in ops:
        if op.site.op in _FUSED:
            found.append(_fused(op))
        elif op.site.op in _ENDS_IN and flow.is_end(op):
            found.append(_instead(op, "Identity", op.site.call.inputs))
        else:
            found.extend(norms.get(id(op), [op]))
    found = _without_unread(found, flow)
    return _in_order(found) if norms else found


def _in_order(ops: list[OpCost]) -> list[OpCost]:
    """Makers before readers again: statistics are made later than the averages they stand for."""
    maker = {id(tensor): at for at, op in enumerate(ops) for tensor in op.site.call.outputs}
    placed: dict[int, None] = {}
    seen: set[int] = set()
    for first in range(len(ops)):
        stack = [first]
        while stack:
            at = stack[-1]
            seen.add(at)
            sources = (maker.get(id(tensor)) for tensor in ops[at].site.call.inputs)
            waiting = [one for one in sources if one is not None and one not in seen]
            if waiting:
                stack += waiting[::-1]
                continue
            placed.setdefault(stack.pop())
    return [ops[at] for at in placed]


def _without_unread(ops: list[OpCost], before: _Flow) -> list[OpCost]:
    """Without what only served the averages: it was read before, and nobody reads it now."""
    kept: list[OpCost] = []
    read: set[int] = set()
    for op in reversed(ops):
        made = [id(tensor) for tensor in op.site.call.outputs]
        if any(one in before.reads for one in made) and not any(one in read for one in made):
            continue
        read.update(id(tensor) for tensor in op.site.call.inputs)
        kept.append(op)
    return kept[::-1]


class _Flow:
    """Who makes a tensor, and who reads it."""

    def __init__(self, ops: Sequence[OpCost]) -> None:
        self.made = {id(tensor): op for op in ops for tensor in op.site.call.outputs}
        self.reads: dict[int, list[OpCost]] = {}
        for op in ops:
            for tensor in op.site.call.inputs:
                self.reads.setdefault(id(tensor), []).append(op)

    def products(self, tensor: Tensor) -> list[OpCost]:
        readers = self.reads.get(id(tensor), ())
        return [op for op in readers if op.site.op == "Mul" and len(op.site.call.inputs) == 2]

    def is_weight(self, tensor: Tensor) -> bool:
        """A variable or, in a frozen graph, a constant of more than one number."""
        maker = self.made.get(id(tensor))
        if maker is None or tensor.variable:
            return bool(tensor.variable)
        if maker.site.op == "Const":
            return bool(tensor.shape)
        return maker.site.op in _KEEPS and self.is_weight(maker.site.call.inputs[0])

    def is_end(self, op: OpCost) -> bool:
        """Whether what it makes is only passed on, to nobody."""
        readers = [one for made in op.site.call.outputs for one in self.reads.get(id(made), ())]
        return all(one.site.op in _PASSES and self.is_end(one) for one in readers)


def _fused(op: OpCost) -> OpCost:
    call = op.site.call
    inputs = [_EMPTY if at in _STATISTICS else one for at, one in enumerate(call.inputs)]
    trains = Call(
        call.name, call.op, inputs, lambda: {**call.attributes, "is_training": flag(on=True)}
    )
    trains.outputs = call.outputs
    return replace(op, site=replace(op.site, call=trains))


def _instead(op: OpCost, kind: str, inputs: Sequence[Tensor]) -> OpCost:
    """Another op, or other inputs, for the same outputs."""
    call = Call(op.site.name, kind, inputs, lambda: op.site.call.attributes)
    call.outputs = op.site.call.outputs
    return op_of(call, op.site.row, FORWARD, op.site.times)


def _norm(flow: _Flow, root: OpCost) -> dict[int, list[OpCost]]:
    """Batch normalisation in single ops, known by the moving variance under a reciprocal root.

    The factor made of it goes to the image and to the moving mean. Both averages give way to the
    statistics of the image. Returned is what to run in place of some ops.
    """
    added = flow.made.get(id(root.site.call.inputs[0]))
    if added is None or added.site.op not in _ADDS:
        return {}
    averaged = next((one for one in added.site.call.inputs if flow.is_weight(one)), None)
    factor = _factor(flow, root.site.call.outputs[0])
    products = flow.products(factor)
    of_image = [op for op in products if not flow.is_weight(_other(op, factor))]
    of_mean = [op for op in products if flow.is_weight(_other(op, factor))]
    if averaged is None or len(of_image) != 1 or len(of_mean) != 1:
        return {}
    image, mean = _other(of_image[0], factor), _other(of_mean[0], factor)
    moments = _Moments(image, root)
    return {
        id(added): [*moments.ops, _with(added, averaged, moments.variance)],
        id(of_mean[0]): [_with(of_mean[0], mean, moments.mean)],
    }


def _factor(flow: _Flow, scale: Tensor) -> Tensor:
    """With the learned scale, if there is one: a product that other products read."""
    for op in flow.products(scale):
        made = op.site.call.outputs[0]
        if flow.is_weight(_other(op, scale)) and flow.products(made):
            return made
    return scale


def _other(op: OpCost, tensor: Tensor) -> Tensor:
    one, other = op.site.call.inputs
    return other if one is tensor else one


def _with(op: OpCost, old: Tensor, new: Tensor) -> OpCost:
    return _instead(op, op.site.op, [new if one is old else one for one in op.site.call.inputs])


class _Moments:
    """Mean and variance of an image, by channel: the squares are as large as the image."""

    def __init__(self, image: Tensor, root: OpCost) -> None:
        self.ops: list[OpCost] = []
        self._root, self._dtype = root, image.dtype
        shape = root.site.call.outputs[0].shape
        apart = None if image.shape is None else _channels(image.shape, shape)
        mean = self._op("Mean", image, shape=apart)
        fixed = self._op("StopGradient", mean, shape=apart)
        squares = self._op("SquaredDifference", image, fixed, shape=image.shape)
        spread = self._op("Mean", squares, shape=apart)
        self.mean = self._op("Squeeze", mean, shape=shape)
        self.variance = self._op("Squeeze", spread, shape=shape)

    def _op(self, op: str, *inputs: Tensor, shape: Open) -> Tensor:
        call = Call(f"{self._root.site.name}/moments/{op}", op, inputs)
        call.outputs = [Tensor(shape, self._dtype)]
        self.ops.append(op_of(call, self._root.site.row, FORWARD, self._root.site.times))
        return call.outputs[0]


def _channels(image: Shape, statistics: Open) -> Shape:
    """Ones but for the channels; a vector of statistics is of the last dimension."""
    if statistics is not None and len(statistics) == len(image):
        return statistics
    return (*[1] * (len(image) - 1), image[-1])
