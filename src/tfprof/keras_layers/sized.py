"""Ops of a model for the sizes of one batch: the same ops, with numbers for open dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tfprof.keras_layers.layer import LayerLoop, LayerOp
from tfprof.keras_layers.model import WrittenModel
from tfprof.model.dims import Open, Size, at
from tfprof.ops.rule import Call, Tensor


def at_sizes(written: WrittenModel, sizes: Mapping[str, Size]) -> list[list[LayerOp]]:
    """The ops of each call; sizes that are not given stay open."""
    sized = _Sized(sizes)
    return [[sized.op(one) for one in call.ops] for call in written.calls]


class _Sized:
    """A tensor is one object to all that make and read it: so it stays."""

    def __init__(self, sizes: Mapping[str, Size]) -> None:
        self._sizes = sizes
        self._tensors: dict[int, Tensor] = {}
        self._ops: dict[int, LayerOp] = {}

    def op(self, op: LayerOp) -> LayerOp:
        call = Call(op.call.name, op.call.op, self._all(op.call.inputs), lambda: op.call.attributes)
        call.outputs = self._all(op.call.outputs)
        work = None if op.work is None else at(op.work, self._sizes)
        loop = None if op.loop is None else self._loop(op.loop)
        found = self._ops[id(op)] = LayerOp(call, at(op.times, self._sizes), work, loop)
        return found

    def _loop(self, loop: LayerLoop) -> LayerLoop:
        """What it runs stands before it."""
        return LayerLoop(
            self._all(loop.carried),
            self._all(loop.results),
            at(loop.trips, self._sizes),
            [self._ops[id(one)] for one in loop.condition],
            [self._ops[id(one)] for one in loop.body],
        )

    def _all(self, tensors: Iterable[Tensor]) -> Sequence[Tensor]:
        return [self._tensor(one) for one in tensors]

    def _tensor(self, tensor: Tensor) -> Tensor:
        found = self._tensors.get(id(tensor))
        if found is None:
            found = self._tensors[id(tensor)] = replace(
                tensor,
                shape=self._shape(tensor.shape),
                value=self._shape(tensor.value),
                holds=None if tensor.holds is None else self._tensor(tensor.holds),
                length=None if tensor.length is None else at(tensor.length, self._sizes),
            )
        return found

    def _shape(self, shape: Open) -> Open:
        if shape is None:
            return None
        return tuple(None if size is None else at(size, self._sizes) for size in shape)
