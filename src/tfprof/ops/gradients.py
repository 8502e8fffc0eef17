"""The ops that TensorFlow adds for the gradient of an op: what each reads, and what it makes.

A gradient is a function of a `Backward`, which holds the forward op and the gradients of its
outputs. It writes down ops and hands back a gradient for each input. What it reads is what a
training step has to keep. The functions are registered in `gradient_rules.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import Open
from tfprof.ops.rule import Call, Tensor
from tfprof.ops.shape_tools import broadcast
from tfprof.wire import dtypes
from tfprof.wire.schema import Proto

SCOPE = "gradients/"


@frozen_dataclass
class Backward:
    """A forward op while its gradient is written down.

    `given` are the gradients of its outputs, None where there is none. `wanted` are the inputs
    that depend on something trained. Ops are added to `written`. Where shapes are `open` until the
    step runs, TensorFlow sums over what it finds to be stretched then, be it nothing.
    """

    call: Call
    given: Sequence[Tensor | None]
    wanted: frozenset[int]
    written: list[Call]
    open: bool = False

    @property
    def dy(self) -> Tensor:
        """The gradient of the first output that has one."""
        return next(one for one in self.given if one is not None)

    @property
    def y(self) -> Tensor:
        return self.call.outputs[0]

    def x(self, index: int = 0) -> Tensor:
        """An input; of one that a damaged graph leaves out, nothing is known."""
        return self.call.inputs[index] if index < len(self.call.inputs) else Tensor()

    def op(
        self,
        op: str,
        *inputs: Tensor,
        shape: Open,
        dtype: int = 0,
        attributes: Mapping[str, Proto] | None = None,
        waits: bool = True,
    ) -> Tensor:
        """Another op with one output."""
        outputs = [Tensor(shape, dtype or self.dy.dtype)]
        return self.ops(op, *inputs, outputs=outputs, attributes=attributes, waits=waits)[0]

    def ops(
        self,
        op: str,
        *inputs: Tensor,
        outputs: Sequence[Tensor],
        attributes: Mapping[str, Proto] | None = None,
        waits: bool = True,
    ) -> Sequence[Tensor]:
        """Mostly what is computed of activations alone `waits` for the gradient, too."""
        if waits and not any(one is gradient for one in inputs for gradient in self._gradients()):
            inputs = (*inputs, self.dy)
        made = Call(f"{SCOPE}{self.call.name}/{op}", op, inputs, lambda: attributes or {})
        made.outputs = outputs
        self.written.append(made)
        return outputs

    def same(self, op: str, *inputs: Tensor, shape: Open) -> Tensor:
        """An op with the attributes of the forward op: windows, strides, layout."""
        return self.op(op, *inputs, shape=shape, attributes=self.call.attributes)

    def each(self, op: str, *inputs: Tensor) -> Tensor:
        """An element-wise op: inputs stretch over each other."""
        return self.op(op, *inputs, shape=broadcast(*(one.shape for one in inputs)))

    def like(self, gradient: Tensor, index: int) -> Tensor:
        """A gradient in the shape of an input: summed where the input was stretched."""
        wanted = self.x(index)
        if gradient.shape == wanted.shape and not self.open:
            return gradient
        summed = self.op("Sum", gradient, shape=wanted.shape)
        return self.op("Reshape", summed, shape=wanted.shape)

    def _gradients(self) -> Iterator[Tensor]:
        yield from (one for one in self.given if one is not None)
        for call in self.written:
            yield from call.outputs


# input to its gradient; what is not there has none
Gradients = Mapping[int, Tensor]
Differentiate = Callable[[Backward], Gradients]
_GRADIENTS: dict[str, Differentiate] = {}


def gradient(ops: str) -> Callable[[Differentiate], Differentiate]:
    """Registers the gradient of some op types, split at blanks."""

    def register(function: Differentiate) -> Differentiate:
        for op in ops.split():
            if op in _GRADIENTS:
                raise ValueError(f"the op {op!r} has two gradients")
            _GRADIENTS[op] = function
        return function

    return register


def gradients() -> Mapping[str, Differentiate]:
    """Every gradient by op type."""
    from tfprof.ops import gradient_rules  # noqa: F401  (registers them)

    return MappingProxyType(_GRADIENTS)


def stopped(_: Backward) -> Gradients:
    """Of ops that no gradient goes through."""
    return {}


UNLISTED = "Gradient"


def unlisted(back: Backward) -> Gradients:
    """Of an op that is not in the table, on the safe side: it reads all that the op touched."""
    places = [place for place in sorted(back.wanted) if is_float(back.x(place))]
    read = [*back.call.inputs, *back.call.outputs, *(one for one in back.given if one is not None)]
    outputs = [Tensor(back.x(place).shape, back.x(place).dtype) for place in places]
    return dict(zip(places, back.ops(UNLISTED, *read, outputs=outputs), strict=True))


def is_float(tensor: Tensor) -> bool:
    return dtypes.is_floating(dtypes.base(tensor.dtype))
