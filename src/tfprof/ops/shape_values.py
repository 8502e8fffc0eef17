"""Ops that make whole numbers of shapes and back: what the backward pass of a model hangs on.

A value is flat; the shape of its tensor tells a number from a list of one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product as combinations
from math import prod
from typing import NamedTuple

from tfprof.model.budget import OverBudget
from tfprof.model.dims import (
    Open,
    Shape,
    Size,
    ceil_div,
    divided,
    elements,
    is_positive,
    same,
)
from tfprof.ops.rule import INT32, INT64, Call, Family, Infer, Outputs, Tensor, Value
from tfprof.ops.shape_tools import (
    broadcast,
    dimension,
    keep_value,
    merged,
    shape_in,
    times,
)

rule = Family("shapes as values")

_LARGEST = 1024  # entries that are worth computing


# --- small tensors whose entries are moved about


class Small(NamedTuple):
    """The entries of a tensor, each of its dimensions a plain number."""

    entries: Value
    shape: tuple[int, ...]

    def along(self, axis: int, indices: Sequence[int] | None = None) -> list[int]:
        """How far into the entries these steps along an axis lead; all of them if not said."""
        step = prod(self.shape[axis + 1 :])
        taken = range(self.shape[axis]) if indices is None else indices
        if len(taken) > _LARGEST:
            raise OverBudget(f"{len(taken):,} places are not listed")
        return [step * index for index in taken]

    def places_over(self, axes: Sequence[int]) -> list[int]:
        """Where the entries are that these axes lead to, the other axes left at 0."""
        return [sum(steps) for steps in combinations(*(self.along(axis) for axis in axes))]

    def picked(self, places: Sequence[Sequence[int]]) -> Value | None:
        """The entries at every combination of places, one list of them a dimension."""
        if prod(len(place) for place in places) > _LARGEST:
            return None
        return tuple(self.entries[sum(steps)] for steps in combinations(*places))


def small(tensor: Tensor) -> Small | None:
    sizes = plain(tensor.shape)
    if tensor.value is None or sizes is None or prod(sizes) != len(tensor.value):
        return None
    return Small(tensor.value, sizes)


def plain(shape: Open) -> tuple[int, ...] | None:
    """A shape of which every dimension is a plain number."""
    if shape is None:
        return None
    sizes = tuple(size for size in shape if isinstance(size, int))
    return sizes if len(sizes) == len(shape) else None


def listed(entries: Sequence[Size | None] | None, length: Size | None = None) -> Tensor:
    """A list of whole numbers; of its length alone if they are not known."""
    return Tensor((length,)) if entries is None else Tensor((len(entries),), value=tuple(entries))


def number(entry: Size | None) -> Tensor:
    """One whole number."""
    return Tensor((), value=None if entry is None else (entry,))


def typed(infer: Infer, attribute: str, absent: int, start: int = 0) -> Infer:
    """Outputs from `start` on have the type of an attribute that is left out where it is usual."""

    def tensors(call: Call) -> Outputs:
        dtype = call.dtype(attribute) or absent
        return [
            one if place < start else _of_type(one, dtype) for place, one in enumerate(infer(call))
        ]

    return tensors


def _of_type(one: Open | Tensor, dtype: int) -> Tensor:
    return replace(one, dtype=dtype) if isinstance(one, Tensor) else Tensor(one, dtype)


def steps_between(first: Size, last: Size, step: Size) -> Size | None:
    """How many of `first`, `first + step`, ... lie before `last`."""
    if not isinstance(step, int):
        return divided(last - first, step)
    if step == 0:
        return None
    span = last - first if step > 0 else first - last
    if is_positive(1 - span):
        return 0
    return ceil_div(span, abs(step))


# --- what a shape says


def _shape_of(shape: Open) -> Tensor:
    return listed(shape)


rule.idle(
    "Shape", typed(lambda call: [_shape_of(call.input(0))], "out_type", INT32), dtype="out_type",
)  # fmt: skip
rule.idle(
    "ShapeN", typed(lambda call: [_shape_of(one.shape) for one in call.inputs], "out_type", INT32),
    dtype="out_type",
)  # fmt: skip
rule.idle(
    "VariableShape", typed(lambda call: [_variable_shape(call)], "out_type", INT32),
    dtype="out_type",
)  # fmt: skip
rule.idle(
    "Size", typed(lambda call: [number(elements(call.input(0)))], "out_type", INT32),
    dtype="out_type",
)  # fmt: skip
rule.idle("Rank", lambda call: [_rank(call.input(0))], dtype=INT32)
rule.idle(
    "EnsureShape", lambda call: [merged(call.input(0), call.stated())], values=keep_value(),
    alias=0,
)  # fmt: skip


def _variable_shape(call: Call) -> Tensor:
    held = call.inputs[0].holds
    return _shape_of(None if held is None else held.shape)


def _rank(shape: Open) -> Tensor:
    return number(None if shape is None else len(shape))


# --- lists of whole numbers


def _range(call: Call) -> list[Tensor]:
    start, limit, step = (call.scalar(index) for index in range(3))
    if start is None or limit is None or step is None:
        return [listed(None)]
    length = steps_between(start, limit, step)
    if not isinstance(length, int) or length > _LARGEST:
        return [listed(None, length)]
    return [listed([start + step * index for index in range(length)])]


rule("Range", typed(_range, "Tidx", INT32), dtype="Tidx")


def _broadcast_gradient(call: Call) -> list[Tensor]:
    """Over which axes the gradients of two inputs are summed that were stretched together.

    A dimension of unknown size counts as longer than 1. Where it is 1 after all, TensorFlow lists
    its axis for both: sums over one element, which change nothing.
    """
    one, other = call.value(0), call.value(1)
    if one is None or other is None:
        return [listed(None), listed(None)]
    if one == other and None not in one:
        return [listed(()), listed(())]
    rank = max(len(one), len(other))
    pairs = zip(_padded(one, rank), _padded(other, rank), strict=True)
    summed: tuple[list[Size | None], list[Size | None]] = ([], [])
    for axis, (left, right) in enumerate(pairs):
        if left == 1:
            summed[0].append(axis)
        if right == 1:
            summed[1].append(axis)
        if 1 not in (left, right) and not same(left, right):
            return [listed(None), listed(None)]  # either may be 1
    return [listed(axes) for axes in summed]


def _padded(shape: Value, rank: int) -> Value:
    return (1,) * (rank - len(shape)) + shape


rule.idle(
    "BroadcastGradientArgs", typed(_broadcast_gradient, "T", INT32), dtype="T",
    outputs=("r0", "r1"),
)  # fmt: skip


def _broadcast_shapes(call: Call) -> list[Tensor]:
    one, other = call.value(0), call.value(1)
    if one is None or other is None:
        lengths = [dimension(call.input(index), 0) for index in range(2)]
        whole = [length for length in lengths if isinstance(length, int)]
        return [listed(None, max(whole) if len(whole) == len(lengths) else None)]
    return [listed(broadcast(one, other))]


rule.idle("BroadcastArgs", typed(_broadcast_shapes, "T", INT32), dtype="T")


def _offsets(call: Call) -> list[Tensor]:
    """Where each part of a concatenation starts: 0 but along the axis, where the parts add up."""
    axis = call.scalar(0)
    start: Size | None = 0
    found = []
    for index in range(1, call.input_count):
        shape = call.value(index)
        if shape is None or not isinstance(axis, int):
            found.append(Tensor(call.input(index)))
            start = None
            continue
        place = axis % len(shape)
        found.append(listed([start if at == place else 0 for at in range(len(shape))]))
        size = shape[place]
        start = None if start is None or size is None else start + size
    return found


rule.idle("ConcatOffset", typed(_offsets, "shape_type", INT32), dtype="shape_type")


def _inverted(call: Call) -> list[Tensor]:
    order = call.numbers(0)
    if order is None or sorted(order) != list(range(len(order))):
        return [Tensor(call.input(0))]
    places = {place: at for at, place in enumerate(order)}
    return [listed([places[place] for place in range(len(order))])]


rule.idle("InvertPermutation", typed(_inverted, "T", INT32), dtype="T")


def _stitched(call: Call) -> list[Tensor]:
    """Rows put where the indices say; a later one wins."""
    half = call.input_count // 2
    indices, data = call.inputs[:half], call.inputs[half:]
    rest: Open = None
    for where, rows in zip(indices, data, strict=False):
        if where.shape is not None and rows.shape is not None:
            rest = merged(rest, rows.shape[len(where.shape) :])
    places = [call.numbers(index) for index in range(half)]
    known = [place for place in places if place is not None]
    if rest is None or len(known) < len(places):
        return [Tensor(None if rest is None else (None, *rest))]
    count = max((index + 1 for place in known for index in place), default=0)
    return [Tensor((count, *rest), value=_stitched_value(count, rest, known, data))]


def _stitched_value(
    count: int, rest: Shape, places: Sequence[Sequence[int]], data: Sequence[Tensor]
) -> Value | None:
    sizes = plain(rest)
    if sizes is None or count * prod(sizes) > _LARGEST or all(rows.value is None for rows in data):
        return None
    row = prod(sizes)
    entries: list[Size | None] = [None] * (count * row)
    for place, rows in zip(places, data, strict=True):
        for at, index in enumerate(place):
            found = (None,) * row if rows.value is None else rows.value[at * row : (at + 1) * row]
            entries[index * row : (index + 1) * row] = found
    return tuple(entries)


rule.idle("DynamicStitch ParallelDynamicStitch", _stitched)


def _filled(call: Call) -> list[Tensor]:
    shape = shape_in(call, 0)
    entry = call.scalar(1)
    sizes = plain(shape)
    if entry is None or sizes is None or prod(sizes) > _LARGEST:
        return [Tensor(shape)]
    return [Tensor(shape, value=(entry,) * prod(sizes))]


rule.idle("Fill", _filled)


# --- shapes and axes of one layout in another


def _other_layout(call: Call) -> list[Tensor]:
    """The entries, or the pairs of them, in the order of another layout."""
    tensor = small(call.inputs[0])
    source, target = _layouts(call)
    if tensor is None or not tensor.shape:
        return [Tensor(call.input(0))]
    if tensor.shape[0] == len(source) - 2:  # only what a window slides over
        source, target = ("".join(c for c in one if c not in "NC") for one in (source, target))
    order = [source.index(letter) for letter in target]
    places = [tensor.along(0, order), *(tensor.along(at) for at in range(1, len(tensor.shape)))]
    return [Tensor(call.input(0), value=tensor.picked(places))]


def _other_axes(call: Call) -> list[Tensor]:
    source, target = _layouts(call)
    axes = call.numbers(0)
    value = None if axes is None else tuple(target.index(source[axis]) for axis in axes)
    return [Tensor(call.input(0), value=value)]


def _layouts(call: Call) -> tuple[str, str]:
    return call.text("src_format", "NHWC"), call.text("dst_format", "NCHW")


rule("DataFormatVecPermute", typed(_other_layout, "T", INT32), dtype="T")
rule("DataFormatDimMap", typed(_other_axes, "T", INT32), dtype="T")

# --- as many as the data say


def _different(call: Call) -> list[Tensor]:
    kept, dropped = call.numbers(0), call.numbers(1)
    if kept is None or dropped is None:
        return [listed(None), listed(None)]
    gone = set(dropped)
    left = [(at, entry) for at, entry in enumerate(kept) if entry not in gone]
    return [listed([entry for _, entry in left]), listed([at for at, _ in left])]


rule("ListDiff", typed(_different, "out_idx", INT32, 1), dtype=("T", "out_idx"),
     outputs=("out", "idx"))  # fmt: skip


def _unique(call: Call) -> list[Open | Tensor]:
    """What differs, where each entry of the input went, and how often it was there."""
    shape = call.input(0)
    numbers = call.numbers(0)
    if shape is not None and len(shape) != 1:
        return _unique_rows(call, shape)
    if numbers is None:
        return [(None,), (dimension(shape, 0),), (None,)]
    counts = Counter(numbers)
    places = {entry: at for at, entry in enumerate(counts)}
    return [
        listed(list(counts)),
        listed([places[entry] for entry in numbers]),
        listed(list(counts.values())),
    ]


def _unique_rows(call: Call, shape: Shape) -> list[Open | Tensor]:
    axis = call.scalar(1)
    if not isinstance(axis, int):
        return [(None,) * len(shape), (None,), (None,)]
    at = axis % len(shape)
    return [(*shape[:at], None, *shape[at + 1 :]), (shape[at],), (None,)]


def _two(infer: Callable[[Call], list[Open | Tensor]]) -> Infer:
    return lambda call: infer(call)[:2]


rule("Unique UniqueV2", typed(_two(_unique), "out_idx", INT32, 1), dtype=("T", "out_idx"),
     outputs=("y", "idx"))  # fmt: skip
rule("UniqueWithCounts UniqueWithCountsV2", typed(_unique, "out_idx", INT32, 1),
     dtype=("T", "out_idx"), outputs=("y", "idx", "count"))  # fmt: skip


def _true_places(call: Call) -> list[Tensor]:
    shape, numbers = call.input(0), call.numbers(0)
    if shape is None:
        return [Tensor((None, None))]
    if len(shape) != 1 or numbers is None:
        return [Tensor((None, len(shape)))]
    places = tuple(at for at, entry in enumerate(numbers) if entry)
    return [Tensor((len(places), 1), value=places)]


rule.idle("Where", _true_places, dtype=INT64)
rule(
    "Bincount", lambda call: [(call.scalar(1),)],
    work=lambda call: elements(call.input(2)),
)  # fmt: skip


def _bins(call: Call) -> list[Open]:
    shape, size = call.input(0), call.scalar(1)
    return [None if shape is None else (*shape[:-1], size)]


rule("DenseBincount", _bins, work=lambda call: elements(call.input(2)))
rule(
    "SparseBincount RaggedBincount", lambda call: [_sparse_bins(call)],
    work=lambda call: times(1, elements(call.input(call.input_count - 1))),
)  # fmt: skip


def _sparse_bins(call: Call) -> Open:
    if call.op == "RaggedBincount":
        splits = dimension(call.input(0), 0)
        return (None if splits is None else splits - 1, call.scalar(2))
    outer = shape_in(call, 2)
    return None if outer is None else (*outer[:-1], call.scalar(3))
