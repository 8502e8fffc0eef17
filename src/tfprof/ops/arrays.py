"""Ops that keep their elements: another shape or order, joined, taken apart.

Where the entries of a small tensor of whole numbers are known, they are moved as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

from tfprof.model.budget import MOST_DIMENSIONS, OverBudget
from tfprof.model.dims import Open, Shape, Size, divided, elements, product
from tfprof.ops.rule import Call, Family, Fold, Tensor, Value
from tfprof.ops.shape_tools import (
    axes,
    dimension,
    keep_value,
    like,
    merged,
    reduced,
    shape_in,
)
from tfprof.ops.shape_values import Small, plain, small
from tfprof.wire import dtypes

rule = Family("arrays")


def unknown_of_rank(rank: int) -> Shape:
    if rank > MOST_DIMENSIONS:
        raise OverBudget(f"no tensor has {rank:,} dimensions")
    return (None,) * rank


def _axis(call: Call, index: int, rank: int) -> int | None:
    """The axis that an input says, counted from the front."""
    axis = call.scalar(index)
    return from_front(axis, rank) if isinstance(axis, int) else None


def from_front(axis: int, rank: int) -> int:
    place = axis + rank if axis < 0 else axis
    if not 0 <= place < rank:
        raise ValueError(f"there is no axis {axis} of {rank}")
    return place


def replaced(shape: Shape, axis: int, *sizes: Size | None) -> Shape:
    """A shape with one dimension replaced."""
    return (*shape[:axis], *sizes, *shape[axis + 1 :])


def shared_out(size: Size | None, parts: Size | None) -> Size | None:
    """A size cut into equal parts: the graph only runs where that comes out even."""
    if size is None or parts is None:
        return None
    exact = divided(size, parts)
    return size // parts if exact is None and isinstance(parts, int) and parts > 0 else exact


# --- the same elements in another shape


def _reshaped(call: Call) -> list[Open]:
    asked = call.value(1)
    if asked is None:
        return [shape_in(call, 1)]
    shape = tuple(None if size == -1 else size for size in asked)
    if shape.count(None) == 1:
        hole = shape.index(None)
        others = product(replaced(shape, hole))
        shape = replaced(shape, hole, shared_out(elements(call.input(0)), others))
    return [shape]


def _squeezed(call: Call) -> list[Open]:
    shape = call.input(0)
    if shape is None:
        return [None]
    listed = call.integers("squeeze_dims")
    if listed:
        return [reduced(shape, [from_front(axis, len(shape)) for axis in listed], keep=False)]
    if None in shape:
        return [None]  # it may be 1
    return [tuple(size for size in shape if size != 1)]


def _expanded(call: Call) -> list[Open]:
    shape = call.input(0)
    if shape is None:
        return [None]
    axis = _axis(call, 1, len(shape) + 1)
    return [unknown_of_rank(len(shape) + 1) if axis is None else (*shape[:axis], 1, *shape[axis:])]


rule.idle("Reshape", _reshaped, values=keep_value(), alias=0)
rule.idle("Squeeze", _squeezed, values=keep_value(), alias=0)
rule.idle("ExpandDims", _expanded, values=keep_value(), alias=0)


def _bits(call: Call) -> list[Open]:
    """Elements of another type; where their sizes differ, the last dimension makes up for it."""
    shape = call.input(0)
    before, after = dtypes.bits(call.dtype("T")), dtypes.bits(call.dtype("type"))
    if shape is None or not before or not after:
        return [None]
    if before == after:
        return [shape]
    return [(*shape, before // after) if before > after else shape[:-1]]


rule.idle("Bitcast", _bits, dtype="type", alias=0)

# --- another order


def _transposed(call: Call) -> list[Open]:
    shape, order = call.input(0), call.numbers(1)
    if order is None:
        rank = dimension(call.input(1), 0) if shape is None else len(shape)
        return [unknown_of_rank(rank) if isinstance(rank, int) else None]
    if shape is None:
        return [unknown_of_rank(len(order))]
    return [tuple(shape[axis] for axis in order)]


def moved(places: Callable[[Call, Small], Sequence[Sequence[int]] | None]) -> Fold:
    """The entries of the first input at the places along each dimension of the output."""

    def values(call: Call) -> list[Value | None]:
        tensor = small(call.inputs[0])
        found = None if tensor is None else places(call, tensor)
        return [None if tensor is None or found is None else tensor.picked(found)]

    return values


def _transposed_places(call: Call, tensor: Small) -> list[list[int]] | None:
    order = call.numbers(1)
    return None if order is None else [tensor.along(axis) for axis in order]


rule.idle("Transpose ConjugateTranspose", _transposed, values=moved(_transposed_places))


def _reversed_places(call: Call, tensor: Small) -> list[list[int]] | None:
    rank = len(tensor.shape)
    over = axes(call, 1, rank)
    if over is None:
        return None
    return [tensor.along(axis)[:: -1 if axis in over else 1] for axis in range(rank)]


rule.idle("ReverseV2", like(), values=moved(_reversed_places))
rule.idle("Reverse ReverseSequence Roll", like())

# --- join


def _concatenated(call: Call, parts: Sequence[Tensor], axis: int) -> list[Open | Tensor]:
    """Parts joined along an input that says the axis."""
    shapes = [part.shape for part in parts if part.shape is not None]
    if not shapes:
        return [None]
    rank = len(shapes[0])
    at = _axis(call, axis, rank)
    if at is None:
        return [unknown_of_rank(rank)]
    shape = shapes[0]
    for other in shapes[1:]:
        shape = merged(shape, other) or shape
    total: Size | None = 0
    for part in parts:
        size = dimension(part.shape, at)
        total = None if total is None or size is None else total + size
    return [Tensor(replaced(shape, at, total), value=_joined(parts, at))]


def _joined(parts: Sequence[Tensor], axis: int) -> Value | None:
    """The entries of joined parts; those of a part nothing is known of are unknown."""
    if all(part.value is None for part in parts):
        return None
    outer = 1
    lines: list[Value] = []
    for part in parts:
        sizes = plain(part.shape)
        if sizes is None or prod(sizes) > LARGEST:
            return None
        outer = prod(sizes[:axis])
        lines.append((None,) * prod(sizes) if part.value is None else part.value)
    found: list[Size | None] = []
    for at in range(outer):
        for line in lines:
            length = len(line) // outer
            found += line[at * length : (at + 1) * length]
    return tuple(found)


LARGEST = 1024

rule.idle("ConcatV2", lambda call: _concatenated(call, call.inputs[:-1], call.input_count - 1))
rule.idle("Concat", lambda call: _concatenated(call, call.inputs[1:], 0))


def _packed(call: Call) -> list[Open | Tensor]:
    shape: Open = None
    for part in call.inputs:
        shape = merged(shape, part.shape)
    if shape is None:
        return [None]
    axis = from_front(call.integer("axis"), len(shape) + 1)
    rows = [replace(part, shape=(*shape[:axis], 1, *shape[axis:])) for part in call.inputs]
    whole = (*shape[:axis], call.input_count, *shape[axis:])
    return [Tensor(whole, value=_joined(rows, axis))]


rule.idle("Pack", _packed)
rule.idle("ParallelConcat", lambda call: [call.stated()])

# --- cut into parts


def _unpacked(call: Call) -> list[Open | Tensor]:
    count, shape = call.count("num"), call.input(0)
    if shape is None:
        return [None] * count
    axis = from_front(call.integer("axis"), len(shape))
    tensor = small(call.inputs[0])
    rest = replaced(shape, axis)
    return [Tensor(rest, value=_part(tensor, axis, at, at + 1)) for at in range(count)]


def _part(tensor: Small | None, axis: int, first: int, last: int) -> Value | None:
    if tensor is None:
        return None
    return tensor.picked(
        [
            tensor.along(at, range(first, last) if at == axis else None)
            for at in range(len(tensor.shape))
        ]
    )


rule.idle("Unpack", _unpacked)


def _split(call: Call) -> list[Open | Tensor]:
    count, shape = call.count("num_split"), call.input(1)
    if shape is None:
        return [None] * count
    axis = _axis(call, 0, len(shape))
    if axis is None:
        return [unknown_of_rank(len(shape))] * count
    return _cut(call.inputs[1], axis, [shared_out(shape[axis], count)] * count)


def _split_by_sizes(call: Call) -> list[Open | Tensor]:
    count, shape = call.count("num_split"), call.input(0)
    if shape is None:
        return [None] * count
    axis = _axis(call, 2, len(shape))
    if axis is None:
        return [unknown_of_rank(len(shape))] * count
    sizes = list(call.value(1) or (None,) * count)
    if -1 in sizes:
        hole = sizes.index(-1)
        whole, others = shape[axis], summed([*sizes[:hole], *sizes[hole + 1 :]])
        sizes[hole] = None if whole is None or others is None else whole - others
    elif count == 1 and sizes[0] is None:
        sizes = [shape[axis]]
    return _cut(call.inputs[0], axis, sizes)


def summed(sizes: Sequence[Size | None]) -> Size | None:
    total: Size = 0
    for size in sizes:
        if size is None:
            return None
        total = total + size
    return total


def _cut(whole: Tensor, axis: int, sizes: Sequence[Size | None]) -> list[Open | Tensor]:
    """Parts of these sizes along an axis, one after the other."""
    shape = whole.shape or ()
    tensor = small(whole)
    start: Size | None = 0
    parts: list[Open | Tensor] = []
    for size in sizes:
        value = None
        if isinstance(start, int) and isinstance(size, int):
            value = _part(tensor, axis, start, start + size)
        parts.append(Tensor(replaced(shape, axis, size), value=value))
        start = None if start is None or size is None else start + size
    return parts


rule.idle("Split", _split)
rule.idle("SplitV", _split_by_sizes)
