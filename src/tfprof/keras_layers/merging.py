"""Layers that take several tensors."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.keras_layers.layer import SCALAR, Layer, is_floating, number, numbers, shape_of
from tfprof.keras_layers.rule import Made, layer
from tfprof.keras_layers.sizes import Unknown, axis_of, count
from tfprof.model.dims import Size
from tfprof.ops.rule import BOOL, FLOAT, Tensor
from tfprof.wire import dtypes

_OPS = {
    "Add": "AddV2", "Average": "AddV2", "Subtract": "Sub", "Multiply": "Mul",
    "Maximum": "Maximum", "Minimum": "Minimum",
}  # fmt: skip


def alike(call: Layer, inputs: Sequence[Tensor], *, floating: bool = False) -> list[Tensor]:
    """All in the widest of their data types; whole numbers give way to others, or have to.

    A constant in the file has no data type: it takes that of the tensors.
    """
    wanted = _widest([one.dtype for one in inputs if one.dtype], floating=floating)
    return [
        one if one.dtype in (0, wanted) else call.op("Cast", one, dtype=wanted) for one in inputs
    ]


def _widest(given: Sequence[int], *, floating: bool) -> int:
    of_fractions = [one for one in given if is_floating(one)]
    if floating and not of_fractions:
        return FLOAT
    of_numbers = [one for one in given if one != BOOL]
    return max(
        of_fractions or of_numbers or given, key=lambda one: dtypes.bits(one) or 0, default=0
    )


@layer(" ".join(_OPS))
def _merge(call: Layer) -> Made:
    """One after the other, and a division by their number for the average."""
    inputs = call.inputs
    if len(inputs) < 2:
        raise Unknown(f"{call.class_name} is called with {len(inputs)} tensors")
    rank = max(len(shape_of(one)) for one in inputs)
    made, *rest = (_of_rank(call, one, rank) for one in alike(call, inputs))
    for one in rest:
        made = call.each(_OPS[call.class_name], made, one)
    return call.each("RealDiv", made, SCALAR) if call.class_name == "Average" else made


def _of_rank(call: Layer, x: Tensor, rank: int) -> Tensor:
    """Merging keeps the batch in front where ranks differ."""
    for _ in range(rank - len(shape_of(x)) if shape_of(x) else 0):
        x = call.op("ExpandDims", x, number(1))
    return x


@layer("Concatenate")
def _concatenate(call: Layer) -> Made:
    return joined(call, call.inputs, call.config.get("axis", -1))


def joined(call: Layer, inputs: Sequence[Tensor], axis: object) -> Tensor:
    """End to end along an axis; the other sizes have to be the same."""
    parts = alike(call, inputs)
    shape: list[Size] = list(shape_of(parts[0]))
    place = axis_of(axis, len(shape))
    for part in parts[1:]:
        sizes = shape_of(part)
        if len(sizes) != len(shape):
            raise Unknown("tensors of different ranks are joined")
        for at, size in enumerate(sizes):
            shape[at] = shape[at] + size if at == place else call.same(shape[at], size)
    if len(parts) == 1:
        return parts[0]
    return call.op("ConcatV2", *parts, number(place), shape=shape)


# --- products along an axis


@layer("Dot")
def _dot(call: Layer) -> Made:
    """Both are brought to matrices, a batch of them."""
    one, other = call.inputs
    axes = call.config.get("axes")
    left, right = axes if isinstance(axes, list) else (axes, axes)
    a, b = axis_of(left, len(shape_of(one))), axis_of(right, len(shape_of(other)))
    call.same(shape_of(one)[a], shape_of(other)[b])
    if call.flag("normalize"):
        one, other = of_length_1(call, one, a), of_length_1(call, other, b)
    rows, columns = _rows(call, one, a), _columns(call, other, b)
    made = call.op("BatchMatMulV2", rows, columns)
    out: list[Size] = [size for axis, size in enumerate(shape_of(one)) if axis != a]
    out += [size for axis, size in enumerate(shape_of(other)) if axis not in (0, b)]
    return call.reshaped(made, *out) if len(out) > 1 else call.reshaped(made, *out, 1)


def of_length_1(call: Layer, x: Tensor, axis: int) -> Tensor:
    squares = call.op("Sum", call.each("Square", x), numbers(axis), keep_dims=True)
    factor = call.each("Minimum", call.each("Rsqrt", squares), SCALAR)
    return call.each("Mul", x, factor)


def _rows(call: Layer, x: Tensor, axis: int) -> Tensor:
    """What is summed over comes last, and one dimension before it."""
    if len(shape_of(x)) == 2:
        return call.op("ExpandDims", x, number(1))
    last = len(shape_of(x)) - 1
    if axis != last:
        x = call.transposed(x, *(at for at in range(last + 1) if at != axis), axis)
    batch, *middle, width = shape_of(x)
    return call.reshaped(x, batch, count(middle), width)


def _columns(call: Layer, x: Tensor, axis: int) -> Tensor:
    """What is summed over comes first after the batch, and one dimension after it."""
    if len(shape_of(x)) == 2:
        return call.op("ExpandDims", x, number(2))
    if axis != 1:
        x = call.transposed(x, 0, axis, *(at for at in range(1, len(shape_of(x))) if at != axis))
    batch, height, *rest = shape_of(x)
    return call.reshaped(x, batch, height, count(rest))
