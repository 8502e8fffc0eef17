"""Ops that move elements about: reshape, cut, join, gather, pad, scatter, sort.

Where the entries of a small tensor of whole numbers are known, they are moved as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import prod
from operator import add, mul
from typing import NamedTuple

from tfprof.model.dims import Open, Shape, Size, divided, elements, is_positive, product
from tfprof.ops.rule import BOOL, INT32, INT64, Call, Family, Fold, Infer, Tensor, Value
from tfprof.ops.shape_tools import (
    axes,
    broadcast,
    by_value,
    dimension,
    fixed,
    keep_value,
    known_rank,
    like,
    merged,
    no_output,
    per_element,
    per_input,
    reduced,
    shape_in,
    slid,
    times,
)
from tfprof.ops.shape_values import Small, plain, small, steps_between, typed
from tfprof.wire import dtypes

rule = Family("arrays")

STRING = dtypes.STRING


def _unknown(rank: int) -> Shape:
    return (None,) * rank


def _axis(call: Call, index: int, rank: int) -> int | None:
    """The axis that an input says, counted from the front."""
    axis = call.scalar(index)
    return _from_front(axis, rank) if isinstance(axis, int) else None


def _from_front(axis: int, rank: int) -> int:
    place = axis + rank if axis < 0 else axis
    if not 0 <= place < rank:
        raise ValueError(f"there is no axis {axis} of {rank}")
    return place


def _with(shape: Shape, axis: int, *sizes: Size | None) -> Shape:
    """A shape with one dimension replaced."""
    return (*shape[:axis], *sizes, *shape[axis + 1 :])


def _shared(size: Size | None, parts: Size | None) -> Size | None:
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
        others = product(_with(shape, hole))
        shape = _with(shape, hole, _shared(elements(call.input(0)), others))
    return [shape]


def _squeezed(call: Call) -> list[Open]:
    shape = call.input(0)
    if shape is None:
        return [None]
    listed = call.integers("squeeze_dims")
    if listed:
        return [reduced(shape, [_from_front(axis, len(shape)) for axis in listed], keep=False)]
    if None in shape:
        return [None]  # it may be 1
    return [tuple(size for size in shape if size != 1)]


def _expanded(call: Call) -> list[Open]:
    shape = call.input(0)
    if shape is None:
        return [None]
    axis = _axis(call, 1, len(shape) + 1)
    return [_unknown(len(shape) + 1) if axis is None else (*shape[:axis], 1, *shape[axis:])]


rule("Reshape", _reshaped, values=keep_value(), alias=0)
rule("Squeeze", _squeezed, values=keep_value(), alias=0)
rule("ExpandDims", _expanded, values=keep_value(), alias=0)


def _bits(call: Call) -> list[Open]:
    """Elements of another type; where their sizes differ, the last dimension makes up for it."""
    shape = call.input(0)
    before, after = dtypes.size(call.dtype("T")), dtypes.size(call.dtype("type"))
    if shape is None or not before or not after:
        return [None]
    if before == after:
        return [shape]
    return [(*shape, int(before / after)) if before > after else shape[:-1]]


rule("Bitcast", _bits, dtype="type", alias=0)

# --- another order


def _transposed(call: Call) -> list[Open]:
    shape, order = call.input(0), call.numbers(1)
    if order is None:
        rank = dimension(call.input(1), 0) if shape is None else len(shape)
        return [_unknown(rank) if isinstance(rank, int) else None]
    if shape is None:
        return [_unknown(len(order))]
    return [tuple(shape[axis] for axis in order)]


def _moved(places: Callable[[Call, Small], Sequence[Sequence[int]] | None]) -> Fold:
    """The entries of the first input at the places along each dimension of the output."""

    def values(call: Call) -> list[Value | None]:
        tensor = small(call.inputs[0])
        found = None if tensor is None else places(call, tensor)
        return [None if tensor is None or found is None else tensor.picked(found)]

    return values


def _transposed_places(call: Call, tensor: Small) -> list[list[int]] | None:
    order = call.numbers(1)
    return None if order is None else [tensor.along(axis) for axis in order]


rule("Transpose ConjugateTranspose", _transposed, values=_moved(_transposed_places))


def _reversed_places(call: Call, tensor: Small) -> list[list[int]] | None:
    rank = len(tensor.shape)
    over = axes(call, 1, rank)
    if over is None:
        return None
    return [tensor.along(axis)[:: -1 if axis in over else 1] for axis in range(rank)]


rule("ReverseV2", like(), values=_moved(_reversed_places))
rule("Reverse ReverseSequence Roll", like())

# --- join


def _concatenated(call: Call, parts: Sequence[Tensor], axis: int) -> list[Open | Tensor]:
    """Parts joined along an input that says the axis."""
    shapes = [part.shape for part in parts if part.shape is not None]
    if not shapes:
        return [None]
    rank = len(shapes[0])
    at = _axis(call, axis, rank)
    if at is None:
        return [_unknown(rank)]
    shape = shapes[0]
    for other in shapes[1:]:
        shape = merged(shape, other) or shape
    total: Size | None = 0
    for part in parts:
        size = dimension(part.shape, at)
        total = None if total is None or size is None else total + size
    return [Tensor(_with(shape, at, total), value=_joined(parts, at))]


def _joined(parts: Sequence[Tensor], axis: int) -> Value | None:
    """The entries of joined parts; those of a part nothing is known of are unknown."""
    if all(part.value is None for part in parts):
        return None
    outer = 1
    lines: list[Value] = []
    for part in parts:
        sizes = plain(part.shape)
        if sizes is None or prod(sizes) > _LARGEST:
            return None
        outer = prod(sizes[:axis])
        lines.append(_unknown(prod(sizes)) if part.value is None else part.value)
    found: list[Size | None] = []
    for at in range(outer):
        for line in lines:
            length = len(line) // outer
            found += line[at * length : (at + 1) * length]
    return tuple(found)


_LARGEST = 1024

rule("ConcatV2", lambda call: _concatenated(call, call.inputs[:-1], call.input_count - 1))
rule("Concat", lambda call: _concatenated(call, call.inputs[1:], 0))


def _packed(call: Call) -> list[Open | Tensor]:
    shape: Open = None
    for part in call.inputs:
        shape = merged(shape, part.shape)
    if shape is None:
        return [None]
    axis = _from_front(call.integer("axis"), len(shape) + 1)
    rows = [replace(part, shape=(*shape[:axis], 1, *shape[axis:])) for part in call.inputs]
    whole = (*shape[:axis], call.input_count, *shape[axis:])
    return [Tensor(whole, value=_joined(rows, axis))]


rule("Pack", _packed)
rule("ParallelConcat", lambda call: [call.stated()])

# --- cut into parts


def _unpacked(call: Call) -> list[Open | Tensor]:
    count, shape = call.integer("num"), call.input(0)
    if shape is None:
        return [None] * count
    axis = _from_front(call.integer("axis"), len(shape))
    tensor = small(call.inputs[0])
    rest = _with(shape, axis)
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


rule("Unpack", _unpacked)


def _split(call: Call) -> list[Open | Tensor]:
    count, shape = call.integer("num_split"), call.input(1)
    if shape is None:
        return [None] * count
    axis = _axis(call, 0, len(shape))
    if axis is None:
        return [_unknown(len(shape))] * count
    return _cut(call.inputs[1], axis, [_shared(shape[axis], count)] * count)


def _split_by_sizes(call: Call) -> list[Open | Tensor]:
    count, shape = call.integer("num_split"), call.input(0)
    if shape is None:
        return [None] * count
    axis = _axis(call, 2, len(shape))
    if axis is None:
        return [_unknown(len(shape))] * count
    sizes = list(call.value(1) or _unknown(count))
    if -1 in sizes:
        hole = sizes.index(-1)
        whole, others = shape[axis], _sum([*sizes[:hole], *sizes[hole + 1 :]])
        sizes[hole] = None if whole is None or others is None else whole - others
    elif count == 1 and sizes[0] is None:
        sizes = [shape[axis]]
    return _cut(call.inputs[0], axis, sizes)


def _sum(sizes: Sequence[Size | None]) -> Size | None:
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
        parts.append(Tensor(_with(shape, axis, size), value=value))
        start = None if start is None or size is None else start + size
    return parts


rule("Split", _split)
rule("SplitV", _split_by_sizes)

# --- cut out


def _sliced(call: Call) -> list[Open | Tensor]:
    begin, size = call.value(1), call.value(2)
    rank = _first_known(call.input(0), begin, size, shape_in(call, 1), shape_in(call, 2))
    if rank is None:
        return [None]
    begin, size = begin or _unknown(rank), size or _unknown(rank)
    whole = known_rank(call.input(0), rank)
    shape = tuple(_rest(*sizes) for sizes in zip(whole, begin, size, strict=True))
    return [Tensor(shape, value=_sliced_value(call, begin, shape))]


def _first_known(*lists: Sequence[Size | None] | None) -> int | None:
    return next((len(one) for one in lists if one is not None), None)


def _rest(whole: Size | None, begin: Size | None, size: Size | None) -> Size | None:
    """From `begin` on, as much as said; -1 is all that is left."""
    if size != -1:
        return size
    if begin == 0:
        return whole
    return None if whole is None or begin is None else whole - begin


def _sliced_value(call: Call, begin: Value, shape: Shape) -> Value | None:
    tensor, sizes, starts = small(call.inputs[0]), plain(shape), plain(begin)
    if tensor is None or sizes is None or starts is None:
        return None
    spans = [range(start, start + size) for start, size in zip(starts, sizes, strict=True)]
    return tensor.picked([tensor.along(axis, span) for axis, span in enumerate(spans)])


# a slice of everything is the input itself
rule("Slice", _sliced, reuse=(0,))


@dataclass(frozen=True, slots=True)
class _Cut:
    """What a strided slice does to one dimension of its input; a new axis has none."""

    axis: int | None
    begin: Size | None = None
    end: Size | None = None
    step: int | None = 1
    open_begin: bool = True
    open_end: bool = True
    drop: bool = False


class _Span(NamedTuple):
    """Where a cut starts, how far it steps, and how many it takes."""

    first: Size | None
    step: int | None
    size: Size | None


def _cuts(call: Call, rank: int, first: int = 1) -> list[_Cut] | None:
    """The cuts of each dimension in order, the ellipsis written out."""
    begins, ends, steps = (call.value(first + offset) for offset in range(3))
    count = _first_known(begins, ends, steps, *(shape_in(call, first + n) for n in range(3)))
    if count is None:
        return None
    begins, ends, steps = (one or _unknown(count) for one in (begins, ends, steps))

    def marked(mask: str) -> list[bool]:
        bits = call.integer(mask)
        return [bool(bits >> at & 1) for at in range(count)]

    ellipsis, added = marked("ellipsis_mask"), marked("new_axis_mask")
    open_begin, open_end = marked("begin_mask"), marked("end_mask")
    dropped = marked("shrink_axis_mask")
    used = sum(not (ellipsis[at] or added[at]) for at in range(count))
    if True not in ellipsis:
        ellipsis.append(True)
    cuts: list[_Cut] = []
    axis = 0
    for at, dots in enumerate(ellipsis):
        if dots:
            cuts += [_Cut(axis + offset) for offset in range(rank - used)]
            axis += rank - used
        elif added[at]:
            cuts.append(_Cut(None))
        else:
            step = steps[at]
            whole = step if isinstance(step, int) else None
            cuts.append(
                _Cut(axis, begins[at], ends[at], whole, open_begin[at], open_end[at], dropped[at])
            )
            axis += 1
    return cuts


def _span(cut: _Cut, size: Size | None) -> _Span:
    """Symbolic bounds that cannot be compared with the size are taken to lie within it."""
    if cut.drop:
        begin = cut.begin
        if begin is not None and is_positive(0 - begin):
            begin = None if size is None else size + begin
        return _Span(begin, 1, 1)
    step = cut.step
    if cut.open_begin and cut.open_end and step in (1, -1):
        first = 0 if step == 1 else None if size is None else size - 1
        return _Span(first, step, size)
    if size is None or not step:
        return _Span(None, None, None)
    # counted down, the place before the first element is as far as it goes
    low, high = (0, size) if step > 0 else (-1, size - 1)
    first = (low if step > 0 else high) if cut.open_begin else _within(cut.begin, size, low, high)
    last = (high if step > 0 else low) if cut.open_end else _within(cut.end, size, low, high)
    if first is None or last is None:
        return _Span(None, None, None)
    return _Span(first, step, steps_between(first, last, step))


def _within(index: Size | None, size: Size, low: Size, high: Size) -> Size | None:
    """An index counted from the front, and no further out than the bounds."""
    if index is None:
        return None
    place = size + index if is_positive(0 - index) else index
    if is_positive(low - place):
        return low
    return high if is_positive(place - high) else place


def _strided(call: Call) -> list[Open | Tensor]:
    shape = call.input(0)
    cuts = None if shape is None else _cuts(call, len(shape))
    if shape is None or cuts is None:
        return [None]
    spans = [_Span(0, 1, 1) if c.axis is None else _span(c, shape[c.axis]) for c in cuts]
    kept = tuple(span.size for cut, span in zip(cuts, spans, strict=True) if not cut.drop)
    return [Tensor(kept, value=_strided_value(call, cuts, spans))]


def _strided_value(call: Call, cuts: Sequence[_Cut], spans: Sequence[_Span]) -> Value | None:
    tensor = small(call.inputs[0])
    if tensor is None:
        return None
    places = []
    for cut, (first, step, size) in zip(cuts, spans, strict=True):
        if not isinstance(first, int) or step is None or not isinstance(size, int):
            return None
        taken = range(first, first + step * size, step)
        places.append([0] if cut.axis is None else tensor.along(cut.axis, taken))
    return tensor.picked(places)


rule("StridedSlice", _strided, reuse=(0,))
rule("StridedSliceGrad", by_value(0))
rule("StridedSliceAssign", like(), alias=0, allocates=False)
rule("TensorStridedSliceUpdate", like(), reuse=(0,))
rule("ResourceStridedSliceAssign", no_output, allocates=False)

# --- gather


def _gathered(params: Open, indices: Open, axis: int | None, batch: int) -> Open:
    if params is None or indices is None:
        return None
    if batch < 0:
        batch += len(indices)
    if axis is None:
        return _unknown(len(params) + len(indices) - 1 - batch)
    at = _from_front(axis, len(params))
    return (*params[:at], *indices[batch:], *params[at + 1 :])


def _gathered_along(call: Call) -> list[Open]:
    axis = call.scalar(2)
    known = axis if isinstance(axis, int) else None
    return [_gathered(call.input(0), call.input(1), known, call.integer("batch_dims"))]


def _gathered_places(call: Call, tensor: Small) -> list[list[int]] | None:
    indices, places = call.input(1), call.numbers(1)
    axis = call.scalar(2) if call.input_count > 2 else 0
    if indices is None or places is None or not isinstance(axis, int) or call.integer("batch_dims"):
        return None
    at = _from_front(axis, len(tensor.shape))
    if any(not 0 <= place < tensor.shape[at] for place in places):
        return None
    return [
        tensor.along(other, places if other == at else None) for other in range(len(tensor.shape))
    ]


def _from_variable(call: Call) -> list[Open]:
    held = call.inputs[0].holds
    batch = call.integer("batch_dims")
    return [_gathered(None if held is None else held.shape, call.input(1), batch, batch)]


rule("Gather", lambda call: [_gathered(call.input(0), call.input(1), 0, 0)], dtype="Tparams",
     values=_moved(_gathered_places))  # fmt: skip
rule("GatherV2", _gathered_along, dtype="Tparams", values=_moved(_gathered_places))
rule("ResourceGather", _from_variable, dtype="dtype")


def _gathered_rows(params: Open, indices: Open) -> list[Open]:
    depth = dimension(indices, -1)
    if params is None or indices is None or not isinstance(depth, int):
        return [None]
    return [(*indices[:-1], *params[depth:])]


def _rows_of_variable(call: Call) -> list[Open]:
    held = call.inputs[0].holds
    return _gathered_rows(None if held is None else held.shape, call.input(1))


rule("GatherNd", lambda call: _gathered_rows(call.input(0), call.input(1)), dtype="Tparams")
rule("ResourceGatherNd", _rows_of_variable, dtype="dtype")

# --- grow and shrink


def _padded(sign: int) -> Infer:
    """Each dimension longer by what stands before and after it, or shorter again."""

    def shapes(call: Call) -> list[Open]:
        shape, pads = call.input(0), call.value(1)
        rank = dimension(call.input(1), 0) if shape is None else len(shape)
        if shape is None or pads is None:
            return [_unknown(rank) if isinstance(rank, int) else None]
        return [
            tuple(
                _sum([size, _times_sign(pads[2 * at], sign), _times_sign(pads[2 * at + 1], sign)])
                for at, size in enumerate(shape)
            )
        ]

    return shapes


def _times_sign(size: Size | None, sign: int) -> Size | None:
    return None if size is None else size * sign


rule("Pad PadV2 MirrorPad", _padded(1), reuse=(0,))
rule("MirrorPadGrad", _padded(-1), work=per_input())


def _per_axis(combine: Callable[[Size | None, Size | None], Size | None]) -> Infer:
    """Each dimension together with what an input says of it."""

    def shapes(call: Call) -> list[Open]:
        factors = call.value(1)
        rank = _first_known(call.input(0), factors, shape_in(call, 1))
        if rank is None:
            return [None]
        sizes = known_rank(call.input(0), rank)
        return [tuple(map(combine, sizes, known_rank(factors, rank)))]

    return shapes


def _tiled_places(call: Call, tensor: Small) -> list[list[int]] | None:
    factors = call.numbers(1)
    if factors is None or prod(factors) > _LARGEST:
        return None
    return [tensor.along(axis) * factor for axis, factor in enumerate(factors)]


rule("Tile", _per_axis(times), values=_moved(_tiled_places), reuse=(0,))
rule("TileGrad", _per_axis(_shared), work=per_input())


def _stretched(call: Call) -> list[Open]:
    asked, shape = shape_in(call, 1), call.input(0)
    return [asked if shape is None else broadcast(asked, shape)]


def _stretched_places(call: Call, tensor: Small) -> list[list[int]] | None:
    asked = call.numbers(1)
    if asked is None or prod(asked) > _LARGEST:
        return None
    missing = len(asked) - len(tensor.shape)
    places = [[0] * size for size in asked[:missing]]
    for axis, size in enumerate(tensor.shape):
        along = tensor.along(axis)
        places.append(along if size == asked[missing + axis] else along * asked[missing + axis])
    return places


rule("BroadcastTo", _stretched, values=_moved(_stretched_places), reuse=(0,))


def _one_hot(call: Call) -> list[Open]:
    shape, depth = call.input(0), call.scalar(1)
    if shape is None:
        return [None]
    at = _from_front(call.integer("axis", -1), len(shape) + 1)
    return [(*shape[:at], depth, *shape[at:])]


rule("OneHot", _one_hot)


def _partitioned(call: Call) -> list[Open]:
    data, which = call.input(0), call.input(1)
    part = None if data is None or which is None else (None, *data[len(which) :])
    return [part] * call.integer("num_partitions")


rule("DynamicPartition", _partitioned)

# --- blocks of pixels


def _blocks(deeper: int) -> Infer:
    """Blocks of pixels made channels, or channels made blocks."""

    def shapes(call: Call) -> list[Open]:
        shape, block = call.input(0), call.integer("block_size")
        layout = call.text("data_format", "NHWC")
        if shape is None:
            return [_unknown(5 if layout == "NCHW_VECT_C" else 4)]
        first = layout.index("H")
        sizes = list(shape)
        for axis, factor in ((first, block), (first + 1, block)):
            sizes[axis] = _scaled(sizes[axis], factor, up=deeper < 0)
        channels = layout.index("C")
        sizes[channels] = _scaled(sizes[channels], block * block, up=deeper > 0)
        return [tuple(sizes)]

    return shapes


def _scaled(size: Size | None, factor: int, *, up: bool) -> Size | None:
    return times(size, factor) if up else _shared(size, factor)


rule("SpaceToDepth", _blocks(1))
rule("DepthToSpace", _blocks(-1))


def _batches(call: Call) -> list[Open]:
    """Pixels of each block to batches of their own, or back; what is padded or cropped between."""
    shape = call.input(0)
    if shape is None:
        return [None]
    if call.op.endswith("ND"):
        blocks: Sequence[int] | None = call.numbers(1)
        edges = call.value(2)
        count = dimension(call.input(1), 0) if blocks is None else len(blocks)
    else:
        blocks = [call.integer("block_size")] * 2
        edges = call.value(1)
        count = 2
    if not isinstance(count, int):
        return [_unknown(len(shape))]
    if blocks is None:
        return [(*_unknown(count + 1), *shape[count + 1 :])]
    out = call.op.startswith("SpaceTo")
    sizes = list(shape)
    sizes[0] = _scaled(shape[0], prod(blocks), up=out)
    for at, block in enumerate(blocks):
        before, after = (None, None) if edges is None else edges[2 * at : 2 * at + 2]
        size = shape[at + 1]
        if out:
            sizes[at + 1] = _shared(_sum([size, before, after]), block)
        else:
            cropped = [_times_sign(before, -1), _times_sign(after, -1)]
            sizes[at + 1] = _sum([times(size, block), *cropped])
    return [tuple(sizes)]


rule("SpaceToBatch SpaceToBatchND BatchToSpace BatchToSpaceND", _batches)


def _patches(call: Call) -> list[Open]:
    """Windows laid out as channels."""
    windows, strides = call.integers("ksizes"), call.integers("strides")
    rates = call.integers("rates") or [1] * len(windows)
    shape = known_rank(call.input(0), len(windows))
    padding = call.text("padding")
    sizes = [
        slid(shape[at], (windows[at] - 1) * rates[at] + 1, strides[at], padding)
        for at in range(1, len(windows) - 1)
    ]
    return [(shape[0], *sizes, times(shape[-1], *windows[1:-1]))]


rule("ExtractImagePatches ExtractVolumePatches", _patches)

# --- diagonals

rule("MatrixBandPart BatchMatrixBandPart", like(), reuse=(0,))
rule("MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 BatchMatrixSetDiag", like(), reuse=(0,))
rule("MatrixDiag BatchMatrixDiag", lambda call: [_square(call.input(0))])
rule("Diag", lambda call: [_twice(call.input(0))])


def _square(shape: Open) -> Open:
    return None if shape is None else (*shape, shape[-1])


def _twice(shape: Open) -> Open:
    return None if shape is None else shape + shape


def _half(call: Call) -> list[Open]:
    shape = call.input(0)
    if shape is None:
        return [None]
    middle = len(shape) // 2
    return [merged(shape[:middle], shape[middle:])]


rule("DiagPart", _half)


def _diagonals(call: Call, index: int) -> tuple[int, int] | None:
    """The lowest and the highest diagonal that an input lists."""
    which = call.numbers(index)
    return (which[0], which[-1]) if which else None


def _diagonal_part(call: Call) -> list[Open]:
    shape = call.input(0)
    which = _diagonals(call, 1) if call.input_count > 1 else (0, 0)
    if shape is None or which is None:
        return [None]
    low, high = which
    rows, columns = shape[-2], shape[-1]
    length = None
    if rows is not None and columns is not None:
        length = _shorter(rows + min(high, 0), columns - max(low, 0))
    many = (high - low + 1,) if low != high else ()
    return [(*shape[:-2], *many, length)]


def _shorter(one: Size, other: Size) -> Size | None:
    if is_positive(one - other + 1):
        return other
    return one if is_positive(other - one) else None


def _longer(one: Size, other: Size) -> Size | None:
    if is_positive(one - other + 1):
        return one
    return other if is_positive(other - one) else None


rule("MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 BatchMatrixDiagPart", _diagonal_part)


def _from_diagonals(call: Call) -> list[Open]:
    shape, which = call.input(0), _diagonals(call, 1)
    if shape is None or which is None:
        return [None]
    low, high = which
    outer = shape[:-1] if low == high else shape[:-2]
    length = shape[-1]
    rows, columns = call.scalar(2), call.scalar(3)
    if length is None or rows is None or columns is None:
        known = (None if size == -1 else size for size in (rows, columns))
        return [(*outer, *known)]
    least = (length - min(high, 0), length + max(low, 0))
    if rows == -1 and columns == -1:
        side = _longer(*least)
        return [(*outer, side, side)]
    return [(*outer, least[0] if rows == -1 else rows, least[1] if columns == -1 else columns)]


rule("MatrixDiagV2 MatrixDiagV3", _from_diagonals)

# --- sort and search


def _best(call: Call) -> list[Open]:
    shape = call.input(0)
    count = call.scalar(1) if call.op == "TopKV2" else call.integer("k")
    return [None if shape is None else _with(shape, len(shape) - 1, count)] * 2


rule("TopK", _best, dtype=("T", INT32), outputs=("values", "indices"))
rule("TopKV2", typed(_best, "index_type", INT32, 1), dtype=("T", "index_type"),
     outputs=("values", "indices"))  # fmt: skip
rule("NthElement", lambda call: [_without_last(call.input(0))])
rule("InTopK InTopKV2", like(1), dtype=BOOL)
rule("LowerBound UpperBound", typed(like(1), "out_type", INT32), dtype="out_type")
rule("Bucketize", like(), dtype=INT32)


def _without_last(shape: Open) -> Open:
    return None if shape is None else shape[:-1]


# --- scatter

rule("ScatterNd", by_value(2), work=per_input(1, 1))
rule("TensorScatterUpdate", like(), reuse=(0,))
rule(
    "TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin ScatterNdNonAliasingAdd",
    like(), work=per_input(1, 2), reuse=(0,),
)  # fmt: skip
rule("InplaceUpdate", like(), alias=0)
rule("InplaceAdd InplaceSub", like(), work=per_input(1, 2), alias=0)
rule("SparseToDense", by_value(1))

# --- along an axis


def _accumulated(combine: Callable[[Size, Size], Size], empty: int) -> Fold:
    def values(call: Call) -> list[Value | None]:
        tensor = small(call.inputs[0])
        if tensor is None or len(tensor.shape) != 1:
            return [None]
        sizes = [entry for entry in tensor.entries if entry is not None]
        if len(sizes) < len(tensor.entries):
            return [None]
        turned = -1 if call.flag("reverse") else 1
        running = list(accumulate(sizes[::turned], combine))
        if call.flag("exclusive"):
            running = [empty, *running][: len(sizes)]
        return [tuple(running[::turned])]

    return values


rule("Cumsum", like(), values=_accumulated(add, 0), work=per_input())
rule("Cumprod", like(), values=_accumulated(mul, 1), work=per_input())
rule("CumulativeLogsumexp", like(), work=per_input(3))  # an exponential, a sum, a logarithm
rule("LinSpace", lambda call: [(call.scalar(2),)], work=per_element(2))

# --- segments


def _segments(count: int | None, ids: int | None = None) -> Infer:
    """Rows by segment: as many as an input says, the rest shaped like the data.

    `ids` is the input with a segment a row, where it may have more dimensions than one.
    """

    def shapes(call: Call) -> list[Open]:
        data = call.input(0)
        rows = None if count is None else call.scalar(count)
        which = (None,) if ids is None else call.input(ids)
        return [None if data is None or which is None else (rows, *data[len(which) :])]

    return shapes


rule("SegmentSum SegmentMean SegmentMax SegmentMin SegmentProd", _segments(None),
     work=per_input())  # fmt: skip
rule(
    "SegmentSumV2 SegmentProdV2 SegmentMaxV2 SegmentMinV2 UnsortedSegmentSum UnsortedSegmentMax"
    " UnsortedSegmentMin UnsortedSegmentProd",
    _segments(2, 1), work=per_input(),
)  # fmt: skip


def _rows_read(call: Call) -> Size | None:
    """An operation for each element of the rows that the indices pick."""
    data = call.input(0)
    return None if data is None else times(dimension(call.input(1), 0), product(data[1:]))


rule("SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN", _segments(None), work=_rows_read)
rule(
    "SparseSegmentSumWithNumSegments SparseSegmentMeanWithNumSegments"
    " SparseSegmentSqrtNWithNumSegments SparseSegmentSumGrad SparseSegmentMeanGrad"
    " SparseSegmentSqrtNGrad",
    _segments(3), work=_rows_read,
)  # fmt: skip
rule(
    "SparseSegmentSumGradV2 SparseSegmentMeanGradV2 SparseSegmentSqrtNGradV2",
    lambda call: [*_segments(None)(call), (None,)],
    dtype=("T", "Tidx"), outputs=("output", "sorted_unique_indices"), work=_rows_read,
)  # fmt: skip

# --- sparse matrices


def _sparse_product(call: Call) -> list[Open]:
    left = known_rank(call.value(2), 2)
    return [
        (
            left[int(call.flag("adjoint_a"))],
            dimension(call.input(3), int(not call.flag("adjoint_b"))),
        )
    ]


rule(
    "SparseTensorDenseMatMul", _sparse_product,
    macs=lambda call: times(dimension(call.input(1), 0), dimension(call.output(0), 1)),
)  # fmt: skip

rule("SparseTensorDenseAdd", like(3), work=per_input(1, 1))
rule("SparseReorder", lambda call: [call.input(0), call.input(1)], dtype=(INT64, "T"),
     outputs=("output_indices", "output_values"))  # fmt: skip


def _sparse_reshaped(call: Call) -> list[Open]:
    rank = dimension(call.input(2), 0)
    return [(dimension(call.input(0), 0), rank), (rank,)]


def _rows_filled(call: Call) -> list[Open]:
    """At least an entry a row: how many that makes depends on the data."""
    rows = dimension(call.value(2), 0)
    entries = dimension(call.input(0), 0)
    return [(None, dimension(call.input(0), 1)), (None,), (rows,), (entries,)]


rule("SparseReshape", _sparse_reshaped, dtype=INT64, outputs=("output_indices", "output_shape"))
rule(
    "SparseFillEmptyRows", _rows_filled, dtype=(INT64, "T", BOOL, INT64),
    outputs=("output_indices", "output_values", "empty_row_indicator", "reverse_index_map"),
)  # fmt: skip

# --- tables and text

rule("LookupTableFind LookupTableFindV2", like(1), dtype="Tout")
rule("LookupTableSize LookupTableSizeV2", fixed(()), dtype=INT64)
rule("LookupTableExport LookupTableExportV2", fixed((None,), None), dtype=("Tkeys", "Tvalues"),
     outputs=("keys", "values"))  # fmt: skip
rule(
    "LookupTableInsert LookupTableInsertV2 LookupTableImport LookupTableImportV2"
    " LookupTableRemoveV2 InitializeTable InitializeTableV2 InitializeTableFromTextFile"
    " InitializeTableFromTextFileV2",
    no_output, allocates=False,
)  # fmt: skip


def _text_joined(call: Call) -> list[Open]:
    """Single strings go with each of the others."""
    shapes = [one.shape for one in call.inputs if one.shape != ()]
    return [shapes[0] if shapes else ()]


rule("StringJoin", _text_joined, dtype=STRING)
rule(
    "AsString DecodeBase64 EncodeBase64 RegexReplace StaticRegexReplace StringLower"
    " StringStrip StringUpper UnicodeTranscode",
    like(), dtype=STRING,
)  # fmt: skip
rule("Substr", lambda call: [broadcast(call.input(0), call.input(1))], dtype=STRING)
rule("RegexFullMatch StaticRegexFullMatch", like(), dtype=BOOL)
rule("StringLength UnicodeScript", like(), dtype=INT32)
rule("StringToHashBucket StringToHashBucketFast StringToHashBucketStrong", like(), dtype=INT64)
rule("StringToNumber", typed(like(), "out_type", dtypes.FLOAT), dtype="out_type")


def _text_reduced(call: Call) -> list[Open]:
    shape = call.input(0)
    over = None if shape is None else axes(call, 1, len(shape))
    return [reduced(shape, over, keep=call.flag("keep_dims"))]


rule("ReduceJoin", _text_reduced, dtype=STRING)


def _coordinates(call: Call) -> list[Open]:
    indices, depth = call.input(0), dimension(call.input(1), 0)
    if indices is None:
        return [None]
    return [(depth,) if not indices else (depth, elements(indices))]


rule("UnravelIndex", _coordinates, dtype="Tidx")
