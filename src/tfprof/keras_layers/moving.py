"""Operations of the functional API that move and join: `keras.ops.reshape`, `keras.ops.stack`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tfprof.keras_layers.layer import SCALAR, Layer, number, numbers, shape_of
from tfprof.keras_layers.merging import alike, joined
from tfprof.keras_layers.operands import flat
from tfprof.keras_layers.rule import Made, operation
from tfprof.keras_layers.shaping import filled
from tfprof.keras_layers.sizes import Unknown, axes_of, axis_of, broadcast, count
from tfprof.model.dims import Size
from tfprof.ops.rule import INT32, Tensor

_MOST_PARTS = 4096

# --- as large as what comes in


@operation("Copy Identity")
def _same(call: Layer) -> Made:
    return call.x


@operation("ZerosLike OnesLike StopGradient")
def _like(call: Layer) -> Made:
    return call.op(call.class_name, call.x)


@operation("FullLike")
def _filled(call: Layer) -> Made:
    sizes = call.op("Shape", call.x, dtype=INT32)
    return call.op("BroadcastTo", SCALAR, sizes, shape=call.shape, dtype=call.x.dtype)


@operation("Triu Tril")
def _triangle(call: Layer) -> Made:
    return call.op("MatrixBandPart", call.x, SCALAR, SCALAR, shape=call.shape, dtype=call.x.dtype)


@operation("Flip")
def _flip(call: Layer) -> Made:
    return call.op(
        "ReverseV2", call.x, numbers(*axes_of(call.argument("axis", 1), len(call.shape)))
    )


@operation("Roll")
def _roll(call: Layer) -> Made:
    axis = call.argument("axis", 2)
    x = call.x if axis is not None else flat(call, call.x)
    return call.reshaped(call.op("Roll", x, SCALAR, SCALAR), *call.shape)


@operation("Sort")
def _sort(call: Layer) -> Made:
    """The largest of the negatives come first; TensorFlow looks along the last dimension."""
    axis = call.argument("axis", 1, -1)
    x = call.x if axis is not None else flat(call, call.x)
    last = len(shape_of(x)) - 1
    place = last if axis is None else axis_of(axis, last + 1)
    order = [*range(place), last, *range(place + 1, last), place]
    turned = x if place == last else call.transposed(x, *order)
    down = call.each("Neg", turned)
    shape = shape_of(down)
    outputs = [Tensor(shape, x.dtype), Tensor(shape, INT32)]
    found, _ = call.ops("TopKV2", down, number(shape[-1]), outputs=outputs)
    made = call.each("Neg", found)
    return made if place == last else call.transposed(made, *order)


# --- another shape or order


@operation("Reshape")
def _reshape(call: Layer) -> Made:
    target = call.argument("newshape", 1, call.argument("shape", 1))
    if isinstance(target, int):
        target = [target]
    if not isinstance(target, list | tuple):
        raise Unknown("the shape to take is not in the file")
    open_ = [-1 if size is None else size for size in target]
    batch, *rest = call.shape or (1,)
    if open_.count(-1) > 1 and open_[0] == -1:
        # the batch, written as an open dimension
        return call.reshaped(call.x, batch, *filled(count(rest), open_[1:]))
    return call.reshaped(call.x, *filled(count(call.shape), open_))


@operation("Ravel")
def _ravel(call: Layer) -> Made:
    return flat(call, call.x)


@operation("Transpose")
def _transpose(call: Layer) -> Made:
    rank = len(call.shape)
    order = call.argument("axes", 1)
    order = range(rank)[::-1] if order is None else [axis_of(axis, rank) for axis in order]
    return call.transposed(call.x, *order)


@operation("Swapaxes")
def _swap(call: Layer) -> Made:
    order = list(range(len(call.shape)))
    a = axis_of(call.argument("axis1", 1), len(order))
    b = axis_of(call.argument("axis2", 2), len(order))
    order[a], order[b] = b, a
    return call.transposed(call.x, *order)


@operation("Moveaxis")
def _move(call: Layer) -> Made:
    rank = len(call.shape)
    pairs: list[list[int]] = []
    for name, place in (("source", 1), ("destination", 2)):
        value = call.argument(name, place)
        listed = value if isinstance(value, list | tuple) else [value]
        pairs.append([axis_of(one, rank) for one in listed])
    order = [axis for axis in range(rank) if axis not in pairs[0]]
    for to, start in sorted(zip(pairs[1], pairs[0], strict=True)):
        order.insert(to, start)
    return call.transposed(call.x, *order)


@operation("ExpandDims")
def _expand(call: Layer) -> Made:
    axis = call.argument("axis", 1)
    listed = axis if isinstance(axis, list | tuple) else [axis]
    rank = len(call.shape) + len(listed)
    x = call.x
    for place in sorted({axis_of(one, rank) for one in listed}):
        x = call.op("ExpandDims", x, number(place))
    return x


@operation("Squeeze")
def _squeeze(call: Layer) -> Made:
    shape, axis = call.shape, call.argument("axis", 1)
    ones = [at for at, size in enumerate(shape) if size == 1]
    over = ones if axis is None else axes_of(axis, len(shape))
    left = [size for at, size in enumerate(shape) if at not in over]
    return call.op("Squeeze", call.x, shape=left, squeeze_dims=over)


# --- joined and taken apart


@operation("Concatenate")
def _concatenate(call: Layer) -> Made:
    return joined(call, call.inputs, call.argument("axis", 1, -1))


@operation("Stack")
def _stack(call: Layer) -> Made:
    parts = alike(call, call.inputs)
    shape = broadcast(call.same, *(shape_of(one) for one in parts))
    at = axis_of(call.argument("axis", 1, 0), len(shape) + 1)
    return call.op("Pack", *parts, shape=(*shape[:at], len(parts), *shape[at:]), axis=at)


@operation("Split")
def _split(call: Layer) -> Made:
    shape = call.shape
    at = axis_of(call.argument("axis", 2, 0), len(shape))
    parts = call.argument("indices_or_sections", 1)
    if isinstance(parts, int):
        if not 0 < parts <= _MOST_PARTS:
            raise Unknown(f"a tensor is split into {parts} parts")
        outputs = _apart(call, at, [shape[at] // parts] * parts)
        return call.ops("Split", number(at), call.x, outputs=outputs, num_split=parts)
    edges: list[Size] = [0, *parts, shape[at]]
    sizes = [end - start for start, end in pairwise(edges)]
    # how far the edges are apart is computed
    for length in (len(parts) - 1, 1):
        call.each("Sub", Tensor((length,), INT32), Tensor((length,), INT32))
    outputs = _apart(call, at, sizes)
    return call.ops(
        "SplitV", call.x, numbers(*sizes), number(at), outputs=outputs, num_split=len(sizes)
    )


def _apart(call: Layer, axis: int, sizes: Sequence[Size]) -> list[Tensor]:
    front, rest = call.shape[:axis], call.shape[axis + 1 :]
    return [Tensor((*front, size, *rest), call.x.dtype) for size in sizes]


@operation("Unstack")
def _unstack(call: Layer) -> Made:
    shape = call.shape
    at = axis_of(call.argument("axis", 2, 0), len(shape))
    parts = shape[at]
    if not isinstance(parts, int) or parts > _MOST_PARTS:
        raise Unknown("how many parts there are is not known")
    outputs = [Tensor((*shape[:at], *shape[at + 1 :]), call.x.dtype) for _ in range(parts)]
    return call.ops("Unpack", call.x, outputs=outputs, num=parts, axis=at)
