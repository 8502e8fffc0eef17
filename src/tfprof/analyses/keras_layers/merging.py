"""Layers that take several tensors."""

from __future__ import annotations

from tfprof.analyses.keras_layers.rule import (
    Call,
    Cost,
    Sizes,
    Tensor,
    Unknown,
    axis_of,
    broadcast,
    is_floating,
    layer,
)
from tfprof.model.dims import Size


@layer("Add Subtract Multiply Average Maximum Minimum")
def _merge(call: Call) -> Cost:
    """An operation for each further input, and a division by their number for the average."""
    inputs = call.inputs
    if len(inputs) < 2:
        raise Unknown(f"{call.class_name} is called with {len(inputs)} tensors")
    shape = merged_shape(call, inputs)
    times = len(inputs) - 1 + (call.class_name == "Average")
    out = call.moved(*shape)
    return call.cost(out, work=out.elements * times)


def merged_shape(call: Call, inputs: list[Tensor]) -> Sizes:
    """Merging keeps the batch in front where ranks differ."""
    ranks = {len(one.shape) for one in inputs}
    if len(ranks) == 1:
        return broadcast(call, *(one.shape for one in inputs))
    rank = max(ranks)
    shapes = [
        (one.shape[0], *[1] * (rank - len(one.shape)), *one.shape[1:]) if one.shape else ()
        for one in inputs
    ]
    return broadcast(call, *shapes)


@layer("Concatenate")
def _concatenate(call: Call) -> Cost:
    return call.cost(joined(call, call.inputs, call.config.get("axis", -1)))


def joined(call: Call, inputs: list[Tensor], axis: object) -> Tensor:
    first, *rest = [one.shape for one in inputs]
    place = axis_of(axis, len(first))
    shape = list(first)
    for other in rest:
        if len(other) != len(shape):
            raise Unknown("tensors of different ranks are joined")
        for at, size in enumerate(other):
            shape[at] = shape[at] + size if at == place else call.engine.same(shape[at], size)
    whole_numbers = not any(is_floating(one.dtype) for one in inputs)
    return Tensor(tuple(shape), inputs[0].dtype if whole_numbers else call.dtype)


@layer("Dot")
def _dot(call: Call) -> Cost:
    one, other = call.inputs
    axes = call.config.get("axes")
    left, right = axes if isinstance(axes, list) else (axes, axes)
    a, b = axis_of(left, len(one.shape)), axis_of(right, len(other.shape))
    length = call.engine.same(one.shape[a], other.shape[b])
    shape: list[Size] = [size for axis, size in enumerate(one.shape) if axis != a]
    shape += [size for axis, size in enumerate(other.shape) if axis not in (0, b)]
    if len(shape) == 1:
        shape.append(1)
    out = call.made(*shape)
    work: Size = 0
    if call.flag("normalize"):
        work = (one.elements + other.elements) * 3
    return call.cost(out, macs=out.elements * length, work=work)
