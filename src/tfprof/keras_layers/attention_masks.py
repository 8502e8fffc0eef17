"""What attention does not look at: what a mask hides, what comes later, what is too far away."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.keras_layers.layer import SCALAR, Layer, Sizes, number, numbers, shape_of
from tfprof.keras_layers.sizes import tensors
from tfprof.model.dims import Size
from tfprof.ops.rule import BOOL, INT32, Tensor

# places among the arguments of attention with heads
_MASK, _CAUSAL = 6, 9


class Hiding:
    """The masks of a call. Keras gives the one for later places to a kernel if it is alone."""

    def __init__(self, call: Layer) -> None:
        self._call = call
        self._given = tensors(call.argument("attention_mask", _MASK))
        self._window = call.config.get("sliding_window")
        self.is_causal = call.argument("use_causal_mask", _CAUSAL) is True
        self.is_alone = self.is_causal and not self._given and self._window is None

    def plain(self, scores: Tensor) -> Tensor:
        """Scores with something far below zero where they are hidden."""
        call = self._call
        mask = None if self.is_alone else self.mask(scores)
        if mask is None and not self.is_alone:
            return scores
        shape = shape_of(scores)
        sizes = call.op("Shape", scores, dtype=INT32)
        together = call.op("Fill", sizes, SCALAR, shape=shape, dtype=BOOL)
        if mask is not None:
            together = _and(call, together, mask)
        if self.is_alone:
            sizes = call.op("Shape", scores, dtype=INT32)
            ones = call.op("Fill", sizes, SCALAR, shape=shape[-2:], dtype=BOOL)
            band = call.op("MatrixBandPart", ones, number(-1), number(0), shape=shape[-2:])
            corners = (numbers(*[0] * 4),) * 3
            later = call.op("StridedSlice", band, *corners, shape=(1, 1, *shape[-2:]))
            together = _and(call, together, later)
        return call.each("SelectV2", together, scores, SCALAR, dtype=scores.dtype)

    def mask(self, scores: Tensor) -> Tensor | None:
        """All masks as one, with a dimension for the heads; a mask is as long as what it hides."""
        call, shape = self._call, shape_of(scores)
        made: list[Tensor] = []
        for one in self._given[:1]:
            _match(call, shape_of(one), shape)
            made.append(one if one.dtype == BOOL else call.op("Cast", one, dtype=BOOL))
        if self.is_causal:
            made.append(later_places(call, shape[-2:]))
        if self._window is not None:
            made.append(_far_places(call, shape[-2:]))
        if not made:
            return None
        mask = made[0]
        for other in made[1:]:
            mask = _and(call, mask, other)
        while len(shape_of(mask)) < len(shape):
            front, back = shape_of(mask)[:-2], shape_of(mask)[-2:]
            mask = call.op("ExpandDims", mask, number(len(front)), shape=(*front, 1, *back))
        return mask


def _match(call: Layer, mask: Sizes, scores: Sizes) -> None:
    if len(mask) >= 3:
        for size, other in zip(mask[-2:], scores[-2:], strict=True):
            if size != 1:
                call.same(other, size)


def _and(call: Layer, one: Tensor, other: Tensor) -> Tensor:
    return call.each("LogicalAnd", one, other, dtype=BOOL)


def later_places(call: Layer, sizes: Sizes) -> Tensor:
    """True up to the place that asks: ones counted along both dimensions are compared."""
    ones = _filled(call, (1, *sizes))
    rows, columns = (call.op("Cumsum", ones, number(axis), shape=(1, *sizes)) for axis in (1, 2))
    return call.each("GreaterEqual", rows, columns, dtype=BOOL)


def _filled(call: Layer, shape: Sizes) -> Tensor:
    if all(isinstance(size, int) for size in shape):
        return call.ops("Const", outputs=[Tensor(shape, INT32)])[0]
    return call.op("Fill", numbers(*shape), SCALAR, shape=shape, dtype=INT32)


def _far_places(call: Layer, sizes: Sizes) -> Tensor:
    """True as far as a window reaches."""
    places = [_counted(call, size) for size in sizes]
    asked, held = sizes
    apart = call.each(
        "Sub", call.reshaped(places[0], 1, asked, 1), call.reshaped(places[1], 1, 1, held)
    )
    return call.each("Less", call.each("Abs", apart), SCALAR, dtype=BOOL)


def _counted(call: Layer, size: Size) -> Tensor:
    return call.op("Range", number(0), number(size), number(1), shape=(size,), dtype=INT32)


def summed_softmax(call: Layer, x: Tensor, axes: Sequence[int]) -> Tensor:
    """A softmax over several dimensions: the exponent of what is left of the logarithm of sums."""
    rows = tuple(1 if axis in axes else size for axis, size in enumerate(shape_of(x)))
    over = numbers(*axes)
    most = call.op("Max", x, over, shape=rows)
    is_finite = call.op("IsFinite", most, shape=rows, dtype=BOOL)
    most = call.op("StopGradient", call.each("SelectV2", is_finite, most, SCALAR, dtype=x.dtype))
    sums = call.op("Sum", call.each("Exp", call.each("Sub", x, most)), over, shape=rows)
    logarithm = call.each("AddV2", call.each("Log", sums), most)
    return call.each("Exp", call.each("Sub", x, logarithm))
