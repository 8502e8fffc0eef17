"""Operations of the functional API that move, cut and join: `x[:, 0]`, `keras.ops.reshape`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tfprof.analyses.keras_layers.merging import joined
from tfprof.analyses.keras_layers.rule import (
    Call,
    Cost,
    Sizes,
    Tensor,
    Unknown,
    axes_of,
    axis_of,
    broadcast,
    count,
    operation,
    positive,
)
from tfprof.analyses.keras_layers.shaping import filled
from tfprof.model.dims import Size, ceil_div


def moved(call: Call, *shape: Size) -> Tensor:
    return Tensor(shape, call.x.dtype)


def shape_of(value: object) -> Sizes:
    """The shape of an operand: a tensor's, or that of a constant written in the file."""
    if isinstance(value, Tensor):
        return value.shape
    if isinstance(value, dict):
        config = value.get("config")
        value = config.get("value") if isinstance(config, dict) else None
    shape: list[Size] = []
    while isinstance(value, list | tuple) and value and len(shape) < 20:
        shape.append(len(value))
        value = value[0]
    return tuple(shape)


@operation("ZerosLike OnesLike FullLike StopGradient Copy Identity Flip Roll Triu Tril Sort")
def _like(call: Call) -> Cost:
    return call.cost(moved(call, *call.x.shape))


@operation("Reshape")
def _reshape(call: Call) -> Cost:
    target = call.argument("newshape", 1, call.argument("shape", 1))
    if isinstance(target, int):
        target = [target]
    if not isinstance(target, list | tuple):
        raise Unknown("the shape to take is not in the file")
    open_ = [-1 if size is None else size for size in target]
    if open_.count(-1) > 1 and open_[0] == -1:
        # the batch, written as an open dimension
        shape = (call.x.shape[0], *filled(count(call.x.shape[1:]), open_[1:]))
    else:
        shape = filled(call.x.elements, open_)
    return call.cost(moved(call, *shape))


@operation("Ravel")
def _ravel(call: Call) -> Cost:
    return call.cost(moved(call, call.x.elements))


@operation("Transpose")
def _transpose(call: Call) -> Cost:
    shape = call.x.shape
    order = call.argument("axes", 1)
    order = list(range(len(shape)))[::-1] if order is None else order
    return call.cost(moved(call, *(shape[axis_of(axis, len(shape))] for axis in order)))


@operation("Swapaxes")
def _swap(call: Call) -> Cost:
    shape = list(call.x.shape)
    a = axis_of(call.argument("axis1", 1), len(shape))
    b = axis_of(call.argument("axis2", 2), len(shape))
    shape[a], shape[b] = shape[b], shape[a]
    return call.cost(moved(call, *shape))


@operation("Moveaxis")
def _move(call: Call) -> Cost:
    rank = len(call.x.shape)
    pairs: list[list[int]] = []
    for name, place in (("source", 1), ("destination", 2)):
        value = call.argument(name, place)
        listed = value if isinstance(value, list | tuple) else [value]
        pairs.append([axis_of(one, rank) for one in listed])
    order = [axis for axis in range(rank) if axis not in pairs[0]]
    for to, start in sorted(zip(pairs[1], pairs[0], strict=True)):
        order.insert(to, start)
    return call.cost(moved(call, *(call.x.shape[axis] for axis in order)))


@operation("ExpandDims")
def _expand(call: Call) -> Cost:
    shape = call.x.shape
    axis = call.argument("axis", 1)
    listed = axis if isinstance(axis, list | tuple) else [axis]
    rank = len(shape) + len(listed)
    places = {axis_of(one, rank) for one in listed}
    left = iter(shape)
    return call.cost(moved(call, *(1 if at in places else next(left) for at in range(rank))))


@operation("Squeeze")
def _squeeze(call: Call) -> Cost:
    shape = call.x.shape
    axis = call.argument("axis", 1)
    over = (
        [at for at, size in enumerate(shape) if size == 1]
        if axis is None
        else axes_of(axis, len(shape))
    )
    return call.cost(moved(call, *(size for at, size in enumerate(shape) if at not in over)))


@operation("Concatenate")
def _concatenate(call: Call) -> Cost:
    return call.cost(joined(call, call.inputs, call.argument("axis", 1, -1)))


@operation("Stack")
def _stack(call: Call) -> Cost:
    inputs = call.inputs
    shape = broadcast(call, *(one.shape for one in inputs))
    at = axis_of(call.argument("axis", 1, 0), len(shape) + 1)
    return call.cost(call.moved(*shape[:at], len(inputs), *shape[at:]))


@operation("Split")
def _split(call: Call) -> Cost:
    shape = list(call.x.shape)
    at = axis_of(call.argument("axis", 2, 0), len(shape))
    parts = call.argument("indices_or_sections", 1)
    if isinstance(parts, int):
        if not 0 < parts <= _MOST_PARTS:
            raise Unknown(f"a tensor is split into {parts} parts")
        return call.cost(*[moved(call, *shape[:at], shape[at] // parts, *shape[at + 1 :])] * parts)
    edges: list[Size] = [0, *parts, shape[at]]
    sizes = [end - start for start, end in pairwise(edges)]
    return call.cost(*(moved(call, *shape[:at], size, *shape[at + 1 :]) for size in sizes))


@operation("Unstack")
def _unstack(call: Call) -> Cost:
    shape = call.x.shape
    at = axis_of(call.argument("axis", 2, 0), len(shape))
    parts = shape[at]
    if not isinstance(parts, int) or parts > _MOST_PARTS:
        raise Unknown("how many parts there are is not known")
    return call.cost(*[moved(call, *shape[:at], *shape[at + 1 :])] * parts)


_MOST_PARTS = 4096


@operation("Repeat")
def _repeat(call: Call) -> Cost:
    times, axis = call.argument("repeats", 1), call.argument("axis", 2)
    if not isinstance(times, int):
        raise Unknown("how often each element is repeated is not one number")
    if axis is None:
        return call.cost(moved(call, call.x.elements * times))
    shape = list(call.x.shape)
    at = axis_of(axis, len(shape))
    shape[at] = shape[at] * times
    return call.cost(moved(call, *shape))


@operation("Tile")
def _tile(call: Call) -> Cost:
    times = call.argument("repeats", 1)
    listed = list(times) if isinstance(times, list | tuple) else [times]
    shape = call.x.shape
    rank = max(len(shape), len(listed))
    sizes = (1,) * (rank - len(shape)) + shape
    factors = [1] * (rank - len(listed)) + [int(one) for one in listed]
    return call.cost(moved(call, *(s * f for s, f in zip(sizes, factors, strict=True))))


@operation("BroadcastTo")
def _broadcast_to(call: Call) -> Cost:
    target = call.argument("shape", 1)
    shape = call.x.shape
    padded = (1,) * (len(target) - len(shape)) + shape
    sizes = [
        have if want in (None, -1) else want for have, want in zip(padded, target, strict=True)
    ]
    return call.cost(moved(call, *sizes))


@operation("Pad")
def _pad(call: Call) -> Cost:
    widths = call.argument("pad_width", 1)
    shape = call.x.shape
    if isinstance(widths, int):
        widths = [widths]
    if widths and isinstance(widths[0], int):
        widths = [[widths[0], widths[-1]]]
    pairs = list(widths) * len(shape) if len(widths) == 1 else list(widths)
    return call.cost(moved(call, *(s + sum(p) for s, p in zip(shape, pairs, strict=True))))


@operation("Take")
def _take(call: Call) -> Cost:
    axis = call.argument("axis", 2)
    shape = call.x.shape
    rows = shape_of(call.argument("indices", 1))
    if axis is None:
        return call.cost(moved(call, *rows))
    at = axis_of(axis, len(shape))
    return call.cost(moved(call, *shape[:at], *rows, *shape[at + 1 :]))


@operation("OneHot")
def _one_hot(call: Call) -> Cost:
    classes, axis = call.argument("num_classes", 1), call.argument("axis", 2, -1)
    shape = call.x.shape
    at = axis_of(axis, len(shape) + 1)
    dtype = call.argument("dtype", 3)
    out = (*shape[:at], int(classes), *shape[at:])
    return call.cost(Tensor(out, dtype if isinstance(dtype, str) else "float32"))


@operation("GetItem")
def _get_item(call: Call) -> Cost:
    key = call.argument("key", 1)
    keys = key if isinstance(key, list) else [key]
    shape = list(call.x.shape)
    taken = sum(not _is_dots(one) and one is not None for one in keys)
    if not any(_is_dots(one) for one in keys):
        keys = [*keys, Ellipsis]
    out: list[Size] = []
    for one in keys:
        if one is None:
            out.append(1)
        elif _is_dots(one):
            skipped = len(call.x.shape) - taken
            out += shape[:skipped]
            shape = shape[skipped:]
        else:
            size = shape.pop(0)
            if not isinstance(one, int):
                out.append(_cut(one, size))
    return call.cost(moved(call, *out))


def _is_dots(key: object) -> bool:
    return key is Ellipsis or (isinstance(key, dict) and key.get("class_name") == "__ellipsis__")


def _cut(key: Any, size: Size) -> Size:  # noqa: ANN401  (JSON)
    """The length of a slice; where an open size may be shorter than the slice, unknown."""
    if not isinstance(key, dict) or key.get("class_name") != "__slice__":
        raise Unknown("an index that is a tensor is not counted")
    config = key["config"]
    start, stop, step = config.get("start"), config.get("stop"), config.get("step") or 1
    if isinstance(size, int):
        return len(range(size)[slice(start, stop, step)])
    if step < 0:
        if start is None and stop is None:
            return ceil_div(size, -step)
        raise Unknown("a slice of an open dimension runs backwards")
    first = 0 if start is None else start
    last: Size = size if stop is None else stop if stop >= 0 else size + stop
    if first < 0:
        first, last = 0, (-first if stop is None else last - (size + first))
    return positive(ceil_div(last - first, step), "a slice")
